#include "planner/measure/measure.h"

#include <map>

namespace tilewright {

Measurement measure(Session& session, const Plan& plan, const RunOptions& options) {
  Measurement measurement;
  measurement.result = session.run(plan.program, options);
  measurement.cycles = session.hardware().core_clock.ceil(measurement.result.time);
  measurement.energy_pj = energy_of(session.hardware(), measurement.result).total_pj;
  return measurement;
}

Graph single_operator_graph(const Graph& graph, OperatorId id) {
  Graph single;
  Operator op = graph.op(id);
  single.name = op.name;
  std::map<TensorId, TensorId> copies;
  auto copy = [&](TensorId tensor, TensorKind kind) {
    const auto known = copies.find(tensor);
    if (known != copies.end()) return known->second;
    Tensor made = graph.tensor(tensor);
    made.kind = kind;
    made.producer.reset();
    made.consumers.clear();
    return copies[tensor] = single.add_tensor(std::move(made));
  };
  auto copy_input = [&](TensorId tensor) {
    const bool constant = graph.tensor(tensor).kind == TensorKind::kConstant;
    return copy(tensor, constant ? TensorKind::kConstant : TensorKind::kInput);
  };
  for (TensorId& input : op.inputs) input = copy_input(input);
  for (Epilogue& epilogue : op.epilogues)
    if (epilogue.operand) epilogue.operand = copy_input(*epilogue.operand);
  op.output = copy(op.output, TensorKind::kOutput);
  single.add_operator(std::move(op));
  return single;
}

Measurement measure(Session& session, const Graph& graph, const PlanOptions& plan_options) {
  return measure(session, make_plan(graph, session.hardware(), plan_options));
}

}  // namespace tilewright
