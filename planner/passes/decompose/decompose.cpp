#include "planner/passes/decompose/decompose.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/graph/graph_edit.h"
#include "planner/ir/axes.h"
#include "planner/ir/requirement.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Dimension of operand `index` (inputs, then epilogue operands) that is cut along with dimension `d` of the output; -1:
// the operand stays whole.
int cut_dimension(const Graph& graph, const Operator& op, std::size_t index, int d) {
  const Shape& out = graph.tensor(op.output).shape;
  const int rank = static_cast<int>(out.size());
  const Shape& in = graph.tensor(all_inputs(op)[index]).shape;
  const int own = d - (rank - static_cast<int>(in.size()));  // aligned at the last dimension
  if (index >= op.inputs.size()) {
    if (in.size() > 1) return own < 0 || in[own] == 1 ? -1 : own;
    const bool channel = d == static_cast<int>(channel_dimension(op.kind, out.size()));
    return channel && element_count(in) > 1 ? 0 : -1;
  }
  const AxisMap axes = traits_of(op.kind).axes;
  if (axes == AxisMap::kConvolution) return index == 0 ? (d == 0 ? 0 : -1) : (d == 1 ? 0 : -1);
  if (axes == AxisMap::kMatrices && d >= rank - 2) {
    if ((index == 0) != (d == rank - 2)) return -1;
    const bool swapped = index == 0 ? op.attributes.transpose_a : op.attributes.transpose_b;
    return swapped ? own + (d == rank - 2 ? 1 : -1) : own;
  }
  if (role_of(op.kind, index) == InputRole::kScale || role_of(op.kind, index) == InputRole::kShift) return -1;
  if (own < 0 || in[own] == 1) return -1;  // repeated
  return own;
}

// Dimensions of the output that may be cut, in the order of the rules.
std::vector<int> dimensions_of(const Graph& graph, const Operator& op) {
  const int rank = static_cast<int>(graph.tensor(op.output).shape.size());
  std::vector<int> all(rank);
  for (int d = 0; d < rank; ++d) all[d] = d;
  const Attributes& a = op.attributes;
  switch (traits_of(op.kind).axes) {
    case AxisMap::kConvolution:
      return a.groups == 1 ? std::vector<int>{0, 1} : std::vector<int>{0};
    case AxisMap::kWindow:
      return {0, 1};
    case AxisMap::kMatrices:
      return all;
    case AxisMap::kAligned:
      std::erase_if(all, [&](int d) { return !can_cut(op, d); });
      return all;
    case AxisMap::kPermuted:
      std::erase_if(all, [&](int d) { return a.permutation[d] != d; });
      return all;
    case AxisMap::kReduced:
      if (!a.keepdims) return {};
      std::erase_if(all, [&](int d) { return std::count(a.axes.begin(), a.axes.end(), d) > 0; });
      return all;
    default:
      return {};
  }
}

std::int64_t size_of(const Graph& graph, const Operator& op, int d) { return graph.tensor(op.output).shape[d]; }

Bytes bytes_of_shape(const Plan& plan, const Tensor& tensor, int cut, std::int64_t whole, std::int64_t part) {
  const Bytes bytes = element_count(tensor.shape) * bytes_of(stored_type(tensor, plan.options.type));
  return cut < 0 ? bytes : ceil_div(bytes, whole) * part;
}

// Data of a part with `part` elements of dimension `d`.
Bytes data_of_part(const Plan& plan, const Operator& op, int d, std::int64_t part) {
  const std::int64_t whole = size_of(plan.graph, op, d);
  Bytes bytes = bytes_of_shape(plan, plan.graph.tensor(op.output), d, whole, part);
  const auto inputs = all_inputs(op);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    bytes += bytes_of_shape(plan, plan.graph.tensor(inputs[i]), cut_dimension(plan.graph, op, i, d), whole, part);
  return bytes;
}

// The first dimension that still has something to cut; -1: none.
int next_dimension(const Graph& graph, const Operator& op) {
  for (const int d : dimensions_of(graph, op))
    if (size_of(graph, op, d) > 1) return d;
  return -1;
}

// The fewest parts of dimension `d` that fit; as many as it has elements where none do.
std::int64_t parts_needed(const Plan& plan, const Operator& op, int d, Bytes threshold) {
  const std::int64_t size = size_of(plan.graph, op, d);
  std::int64_t parts = 2;
  while (parts < size && data_of_part(plan, op, d, ceil_div(size, parts)) > threshold) ++parts;
  return parts;
}

// Writes the graph again with one operator in parts.
class Decomposition {
 public:
  Decomposition(const Graph& graph, OperatorId id, int d, std::int64_t parts)
      : graph_(graph), id_(id), d_(d), parts_(parts), edit_(graph) {}

  Graph run() {
    std::vector<Operator> before = std::move(edit_.operators());
    edit_.operators().clear();
    for (std::size_t i = 0; i < before.size(); ++i)
      if (static_cast<OperatorId>(i) == id_)
        add_parts(before[i]);
      else
        edit_.add_operator(std::move(before[i]));
    return edit_.build();
  }

 private:
  void add_parts(const Operator& op) {
    const std::int64_t size = size_of(graph_, op, d_);
    Operator join{.name = op.name, .kind = OpKind::kConcat, .output = op.output};
    join.attributes.axis = d_;
    for (std::int64_t i = 0; i < parts_; ++i)
      join.inputs.push_back(add_part(op, {i * size / parts_, (i + 1) * size / parts_}, i + 1));
    edit_.add_operator(std::move(join));
  }

  TensorId add_part(const Operator& op, const Range& range, std::int64_t number) {
    Operator part = op;
    part.name = fmt::format("{}.part{}", op.name, number);
    std::size_t index = 0;
    for (TensorId& input : part.inputs) input = sliced(op, input, index++, range, part.name);
    for (Epilogue& epilogue : part.epilogues)
      if (epilogue.operand) *epilogue.operand = sliced(op, *epilogue.operand, index++, range, part.name);
    Shape shape = graph_.tensor(op.output).shape;
    shape[d_] = range.size();
    part.output = edit_.add_like(op.output, part.name + ".out", std::move(shape));
    const TensorId output = part.output;
    edit_.add_operator(std::move(part));
    return output;
  }

  TensorId sliced(const Operator& op, TensorId tensor, std::size_t index, const Range& range, const std::string& name) {
    const int cut = cut_dimension(graph_, op, index, d_);
    if (cut < 0) return tensor;
    Operator slice{.name = fmt::format("{}.operand{}", name, index), .kind = OpKind::kSlice, .inputs = {tensor}};
    slice.attributes.axes = {cut};
    slice.attributes.starts = {range.begin};
    slice.attributes.ends = {range.end};
    slice.attributes.steps = {1};
    Shape shape = graph_.tensor(tensor).shape;
    shape[cut] = range.size();
    slice.output = edit_.add_like(tensor, slice.name + ".out", std::move(shape));
    const TensorId output = slice.output;
    edit_.add_operator(std::move(slice));
    return output;
  }

  const Graph& graph_;
  OperatorId id_;
  int d_;
  std::int64_t parts_;
  GraphEdit edit_;
};

// The first operator that does not fit and can be decomposed; -1: none.
OperatorId too_large(const Plan& plan, Bytes threshold) {
  const auto& ops = plan.graph.operators();
  for (std::size_t id = 0; id < ops.size(); ++id)
    if (data_of(plan, ops[id]) > threshold && next_dimension(plan.graph, ops[id]) >= 0)
      return static_cast<OperatorId>(id);
  return -1;
}

}  // namespace

Bytes data_of(const Plan& plan, const Operator& op) {
  Bytes bytes = bytes_of_shape(plan, plan.graph.tensor(op.output), -1, 1, 1);
  for (const TensorId input : all_inputs(op)) bytes += bytes_of_shape(plan, plan.graph.tensor(input), -1, 1, 1);
  return bytes;
}

Bytes decompose_threshold(const Plan& plan) {
  if (plan.options.decompose_above > 0) return plan.options.decompose_above;
  const Bytes memory = plan.hardware.dram.region_capacity() * plan.hardware.dram.regions;
  return memory - memory / constants().dram_spare_divisor;
}

void decompose(Plan& plan) {
  const Bytes threshold = decompose_threshold(plan);
  for (OperatorId id = too_large(plan, threshold); id >= 0; id = too_large(plan, threshold)) {
    const int d = next_dimension(plan.graph, plan.graph.op(id));
    const std::int64_t parts = parts_needed(plan, plan.graph.op(id), d, threshold);
    plan.graph = Decomposition(plan.graph, id, d, parts).run();
  }
}

void verify_decompose(const Plan& plan) {
  const OperatorId id = too_large(plan, decompose_threshold(plan));
  SIM_CHECK(id < 0, "'{}' could be decomposed further", plan.graph.op(id).name);
  for (const Operator& op : plan.graph.operators())
    SIM_CHECK(infer_shape(plan.graph, op) == plan.graph.tensor(op.output).shape, "shape of '{}'", op.name);
}

}  // namespace tilewright
