#include "planner/estimate/roofline.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "planner/estimate/bandwidth.h"
#include "planner/estimate/unit_times.h"
#include "planner/graph/window.h"
#include "planner/ir/access.h"
#include "planner/ir/epilogue.h"
#include "planner/ir/group.h"
#include "planner/ir/in_place.h"
#include "planner/ir/lifetime.h"
#include "planner/ir/requirement.h"
#include "sim/isa/request_splitter.h"
#include "sim/isa/unit_time.h"

namespace tilewright {
namespace {

bool leaves_out_positions(const Window& window) {
  return std::any_of(window.axes.begin(), window.axes.end(), [](const Window::Axis& axis) {
    return axis.stride > 1 && (axis.stride > axis.size || axis.dilation > 1);
  });
}

// Whether DRAM never sees it.
bool stays_on_chip(const Plan& plan, TensorId tensor) {
  return stays_on_core(plan, tensor) || lies_in_cluster_memory(plan, tensor);
}

// What of an input must be read at least once; 0, always a lower bound, where the operator picks elements.
Bytes input_bytes(const Plan& plan, const Operator& op, std::size_t input) {
  if (picks_elements(op.kind) || stays_on_chip(plan, op.inputs[input])) return 0;
  const bool windowed = has_windows(op.kind);
  if (windowed && input == 0 && leaves_out_positions(window_of(plan.graph, op))) return 0;
  if (windowed) {
    Bytes bytes = bytes_of(plan.tensors[op.inputs[input]].type);
    for (const Range& range : required_input(plan, op, input, whole_box(plan.graph.tensor(op.output).shape)))
      bytes *= range.size();
    return bytes;
  }
  return bytes_of_tensor(plan, op.inputs[input]);
}

// Multiply-adds per core clock of all cores: of what either may compute (compute_unit()) with their vector units.
double peak_rate(const Plan& plan, const Operator& op) {
  const bool by_lanes = op.attributes.groups > 1 || op.kind == OpKind::kMatMulNBits;
  return plan.hardware.sum_over_cores([&](const CoreSpec& core) {
    const double rate = core.matmul.macs_per_cycle(plan.tensors[op.inputs[0]].type);
    return by_lanes ? rate + 1 / lane_time(core.vector, 1, passes_of(core.vector, VectorOp::kMultiplyAdd)) : rate;
  });
}

bool reads_operand(const Plan& plan, const Epilogue& epilogue) {
  const EpilogueForm form = form_of(plan.graph, epilogue);
  return (form == EpilogueForm::kChannel || form == EpilogueForm::kElement) && !stays_on_chip(plan, *epilogue.operand);
}

}  // namespace

Roofline roofline_of(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  Roofline bound;
  if (needs_no_instruction(plan, op)) return bound;
  if (appends_in_place(plan, op)) {
    bound.compulsory_bytes = 2 * (bytes_of_tensor(plan, op.output) - bytes_of_tensor(plan, op.inputs[0]));
    bound.bandwidth_cycles = static_cast<double>(bound.compulsory_bytes) / dram_peak(plan.hardware);
    return bound;
  }
  if (plan.operators[id].leader >= 0) {  // reads what its leader has on the core
    bound.compulsory_bytes = stays_on_chip(plan, op.output) ? 0 : bytes_of_tensor(plan, op.output);
    bound.bandwidth_cycles = static_cast<double>(bound.compulsory_bytes) / dram_peak(plan.hardware);
    return bound;
  }
  if (is_contraction(op.kind))
    bound.compute_cycles = static_cast<double>(mac_count(plan.graph, op)) / peak_rate(plan, op);
  std::vector<TensorId> counted;
  for (std::size_t input = 0; input < op.inputs.size(); ++input) {
    if (std::count(counted.begin(), counted.end(), op.inputs[input]) > 0) continue;
    counted.push_back(op.inputs[input]);
    bound.compulsory_bytes += input_bytes(plan, op, input);
  }
  for (const Epilogue& epilogue : op.epilogues) {
    if (!reads_operand(plan, epilogue)) continue;
    if (std::count(counted.begin(), counted.end(), *epilogue.operand) > 0) continue;
    counted.push_back(*epilogue.operand);
    bound.compulsory_bytes += bytes_of_tensor(plan, *epilogue.operand);
  }
  if (!stays_on_chip(plan, op.output)) bound.compulsory_bytes += bytes_of_tensor(plan, op.output);
  bound.bandwidth_cycles = static_cast<double>(bound.compulsory_bytes) / dram_peak(plan.hardware);
  return bound;
}

namespace {

// Bytes of what lies there before the run that some operator must read, by tensor.
class GivenBytes {
 public:
  explicit GivenBytes(const Plan& plan) : plan_(plan), bytes_(plan.tensors.size(), 0) {
    for (const OperatorId id : plan.order) {
      const Operator& op = plan.graph.op(id);
      if (needs_no_instruction(plan, op)) continue;
      for (std::size_t input = 0; input < op.inputs.size(); ++input)
        add(op.inputs[input], input_bytes(plan, op, input));
      for (const Epilogue& epilogue : op.epilogues)
        if (reads_operand(plan, epilogue)) add(*epilogue.operand, bytes_of_tensor(plan, *epilogue.operand));
    }
  }
  Bytes total() const { return std::accumulate(bytes_.begin(), bytes_.end(), Bytes{0}); }

 private:
  // Two readers may need the same bytes: the larger part is needed in any case.
  void add(TensorId tensor, Bytes bytes) {
    const TensorId memory = storage_of(plan_, tensor);
    if (!plan_.graph.tensor(memory).producer || is_constant(plan_.graph, memory))
      bytes_[memory] = std::max(bytes_[memory], bytes);
  }

  const Plan& plan_;
  std::vector<Bytes> bytes_;
};

Bytes output_bytes(const Plan& plan) {
  Bytes bytes = 0;
  for (TensorId id = 0; id < std::ssize(plan.tensors); ++id)
    if (plan.graph.tensor(id).kind == TensorKind::kOutput && plan.graph.tensor(storage_of(plan, id)).producer)
      bytes += bytes_of_tensor(plan, id);
  return bytes;
}

}  // namespace

Roofline network_roofline_of(const Plan& plan) {
  Roofline bound;
  for (const OperatorId id : plan.order) bound.compute_cycles += roofline_of(plan, id).compute_cycles;
  bound.compulsory_bytes = GivenBytes(plan).total() + output_bytes(plan);
  bound.bandwidth_cycles = static_cast<double>(bound.compulsory_bytes) / dram_peak(plan.hardware);
  return bound;
}

namespace {

double bytes_in_any_plan(const Graph& graph) {
  const auto bytes = [&](const Tensor& tensor) {
    return static_cast<double>(element_count(tensor.shape)) * static_cast<double>(bytes_of(tensor.type));
  };
  double sum = 0;
  std::set<TensorId> counted;
  for (const Operator& op : graph.operators()) {
    if (is_contraction(op.kind))
      for (const TensorId input : op.inputs)
        if (!graph.tensor(input).producer && counted.insert(input).second) sum += bytes(graph.tensor(input));
    const Tensor& output = graph.tensor(op.output);
    if (output.kind == TensorKind::kOutput && op.kind != OpKind::kConcat) sum += bytes(output);
  }
  return sum;
}

}  // namespace

double requests_in_any_plan(const Graph& graph, const Hardware& hardware) {
  return bytes_in_any_plan(graph) / static_cast<double>(dram_request_limits(hardware).longest());
}

Roofline operators_roofline_of(const Plan& plan) {
  Roofline sum;
  for (const OperatorId id : plan.order) {
    const Roofline bound = roofline_of(plan, id);
    sum.compute_cycles += bound.compute_cycles;
    sum.bandwidth_cycles += bound.bandwidth_cycles;
    sum.compulsory_bytes += bound.compulsory_bytes;
  }
  return sum;
}

}  // namespace tilewright
