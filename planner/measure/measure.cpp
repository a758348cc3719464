#include "planner/measure/measure.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "sim/base/error.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

std::int64_t total(const RunResult& result, std::span<const Event> events) {
  std::int64_t sum = 0;
  for (const OperatorResult& op : result.operators)
    for (const Event event : events) sum += op.events[static_cast<int>(event)];
  return sum;
}

}  // namespace

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
    return copy(tensor, is_constant(graph, tensor) ? TensorKind::kConstant : TensorKind::kInput);
  };
  for (TensorId& input : op.inputs) input = copy_input(input);
  for (Epilogue& epilogue : op.epilogues)
    if (epilogue.operand) epilogue.operand = copy_input(*epilogue.operand);
  op.output = copy(op.output, TensorKind::kOutput);
  single.add_operator(std::move(op));
  return single;
}

double value_of(const Cost& cost, Objective objective) {
  const double cycles = static_cast<double>(cost.cycles), energy = static_cast<double>(cost.energy_pj);
  switch (objective) {
    case Objective::kCycles:
      return cycles;
    case Objective::kEnergy:
      return energy;
    case Objective::kEdp:
      return cycles * energy;
  }
  SIM_CHECK(false, "objective {}", static_cast<int>(objective));
}

Cost measure_cost(Session& session, const Plan& plan) {
  const Measurement measured = measure(session, plan);
  const Statistics& statistics = measured.result.statistics;
  const double offered = static_cast<double>(measured.cycles) * session.hardware().cores();
  Cost cost;
  cost.cycles = measured.cycles;
  cost.energy_pj = rounded_energy(session.hardware(), plan.program, measured.energy_pj);
  cost.macs = total(measured.result, kMacEvents);
  cost.dram_read = total(measured.result, std::array{Event::kDramReadBytes});
  cost.dram_written = total(measured.result, std::array{Event::kDramWriteBytes});
  cost.utilisation = offered == 0 ? 0 : statistics.sum("matmul.ideal_cycles") / offered;
  cost.program_hash = hash_of(plan.program);
  return cost;
}

std::string to_json(const Cost& cost) {
  return nlohmann::ordered_json{{"cycles", cost.cycles},
                                {"energy_pj", cost.energy_pj},
                                {"macs", cost.macs},
                                {"dram_read", cost.dram_read},
                                {"dram_written", cost.dram_written},
                                {"utilisation", cost.utilisation},
                                {"program_hash", cost.program_hash}}
      .dump();
}

namespace {

std::int64_t whole_number(const nlohmann::json& json, const char* key) {
  const nlohmann::json& value = json.at(key);
  if (!value.is_number_integer()) throw UserError("", fmt::format("'{}' is no whole number: {}", key, value.dump()));
  return value;
}

}  // namespace

Cost cost_from_json(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    return {.cycles = whole_number(json, "cycles"),
            .energy_pj = whole_number(json, "energy_pj"),
            .macs = whole_number(json, "macs"),
            .dram_read = whole_number(json, "dram_read"),
            .dram_written = whole_number(json, "dram_written"),
            .utilisation = json.at("utilisation"),
            .program_hash = static_cast<std::uint64_t>(whole_number(json, "program_hash"))};
  } catch (const nlohmann::json::exception& error) {
    throw UserError("", fmt::format("'{}' is no cost: {}", text, error.what()));
  }
}

}  // namespace tilewright
