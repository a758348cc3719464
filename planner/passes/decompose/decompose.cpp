#include "planner/passes/decompose/decompose.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/graph/graph_edit.h"
#include "planner/ir/group.h"
#include "planner/ir/region_allocator.h"
#include "planner/ir/requirement.h"
#include "planner/passes/decompose/network_cuts.h"
#include "planner/passes/decompose/part_order.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Writes the graph again with operators in parts.
class Decomposition {
 public:
  explicit Decomposition(const Graph& graph) : edit_(graph) {}

  Graph run(const std::vector<std::vector<DimensionCut>>& cuts) {
    std::vector<Operator> before = std::move(edit_.operators());
    edit_.operators().clear();
    for (std::size_t id = 0; id < before.size(); ++id) add_parts(before[id], cuts[id]);
    return edit_.build();
  }

 private:
  void add_parts(const Operator& op, std::vector<DimensionCut> cuts) {
    if (cuts.empty()) {
      edit_.add_operator(op);
      return;
    }
    const DimensionCut cut = cuts.front();
    cuts.erase(cuts.begin());
    Operator join{.name = op.name, .kind = OpKind::kConcat, .output = op.output};
    join.attributes.axis = cut.rule.dimension;
    join.attributes.part = true;
    for (std::int64_t i = 0; i < cut.parts; ++i) {
      const Operator part = part_of(op, cut.rule.dimension, cut.rule.range(i, cut.parts), i + 1);
      join.inputs.push_back(part.output);
      add_parts(part, cuts);
    }
    edit_.add_operator(std::move(join));
  }

  Operator part_of(const Operator& op, int d, const Range& range, std::int64_t number) {
    Operator part = op;
    part.name = fmt::format("{}.part{}", op.name, number);
    std::size_t index = 0;
    for (TensorId& input : part.inputs) input = sliced(op, input, index++, d, range, part.name);
    for (Epilogue& epilogue : part.epilogues)
      if (epilogue.operand) *epilogue.operand = sliced(op, *epilogue.operand, index++, d, range, part.name);
    Shape shape = edit_.tensor(op.output).shape;
    if (op.attributes.groups > 1 && d == 1) part.attributes.groups = op.attributes.groups * range.size() / shape[d];
    shape[d] = range.size();
    part.output = edit_.add_like(op.output, part.name + ".out", std::move(shape));
    return part;
  }

  TensorId sliced(const Operator& op, TensorId tensor, std::size_t index, int d, const Range& range,
                  const std::string& name) {
    const int cut = cut_dimension(edit_.tensors(), op, index, d);
    if (cut < 0) return tensor;
    const Range own = cut_range(edit_.tensors(), op, index, d, range);
    Operator slice{.name = fmt::format("{}.operand{}", name, index), .kind = OpKind::kSlice, .inputs = {tensor}};
    slice.attributes.axes = {cut};
    slice.attributes.starts = {own.begin};
    slice.attributes.ends = {own.end};
    slice.attributes.steps = {1};
    slice.attributes.part = true;
    Shape shape = edit_.tensor(tensor).shape;
    shape[cut] = own.size();
    slice.output = edit_.add_like(tensor, slice.name + ".out", std::move(shape));
    const TensorId output = slice.output;
    edit_.add_operator(std::move(slice));
    return output;
  }

  GraphEdit edit_;
};

}  // namespace

PartLimit decompose_limit(const Plan& plan) {
  const Bytes stated = plan.options.decompose_above;
  if (stated > 0) return {stated, stated, false};
  const Bytes memory = plan.hardware.dram.capacity();
  Bytes kept = 0;
  for (TensorId id = 0; id < static_cast<TensorId>(plan.graph.tensors().size()); ++id)
    if (plan.graph.tensor(id).kind != TensorKind::kHidden) kept += data_of(plan, id, {});
  const Bytes spare = std::max(plan.options.decompose_spare, plan.options.program_memory);
  return {memory - kept - spare, memory - kept - program_memory_apart(plan), true};
}

void decompose(Plan& plan) {
  const auto cuts = network_cuts(plan, decompose_limit(plan));
  if (std::all_of(cuts.begin(), cuts.end(), [](const auto& one) { return one.empty(); })) return;
  plan.graph = in_depth(with_parts_joined(Decomposition(plan.graph).run(cuts)));
}

void verify_decompose(const Plan& plan) {
  const PartLimit limit = decompose_limit(plan);
  for (const Operator& op : plan.graph.operators()) {
    SIM_CHECK(is_told_together(plan, op.name) || data_of(plan, op, limit) <= std::max(limit.whole, limit.most) ||
                  !choose_cuts(plan, op, limit, cut_rules(plan.graph.tensors(), op, cut_granule(plan.hardware))),
              "'{}' could be decomposed further", op.name);
    SIM_CHECK(infer_shape(plan.graph, op) == plan.graph.tensor(op.output).shape, "shape of '{}'", op.name);
  }
}

}  // namespace tilewright
