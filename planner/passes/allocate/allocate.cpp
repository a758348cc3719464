#include "planner/passes/allocate/allocate.h"

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/ir/access.h"
#include "planner/ir/group.h"
#include "planner/ir/in_place.h"
#include "planner/ir/memory_sharing.h"
#include "planner/ir/sharing.h"
#include "planner/ir/storage_order.h"
#include "planner/passes/allocate/cluster_memory.h"
#include "planner/passes/allocate/cluster_stores.h"
#include "planner/passes/allocate/nesting.h"
#include "planner/passes/allocate/region_memory.h"
#include "planner/passes/allocate/row_gaps.h"
#include "planner/passes/allocate/tensor_cuts.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Tensors that lie in another one's memory.
class Aliases {
 public:
  explicit Aliases(Plan& plan) : plan_(plan) {}

  void find() {
    for (const OperatorId id : plan_.order) {
      const Operator& op = plan_.graph.op(id);
      if (lies_in_parts(op)) part(op);
      if (joins_in_place(plan_, op)) join(op);
      if (appends_in_place(plan_, op)) place_input(op, 0);
      if (slices_in_place(plan_, op)) slice(op);
      if (transposes_in_place(plan_, op)) permute(op);
      if (!is_alias(op.kind)) continue;
      plan_.tensors[op.output].alias_of = storage_of(plan_, op.inputs[0]);
    }
  }

 private:
  void join(const Operator& concat) {
    for (std::size_t input = 0; input < concat.inputs.size(); ++input) place_input(concat, input);
  }

  void place_input(const Operator& concat, std::size_t input) {
    TensorPlan& part = plan_.tensors[concat.inputs[input]];
    part.alias_of = concat.output;
    part.joined_along = static_cast<int>(concat.attributes.axis);
    part.first = first_of_input(plan_.graph, concat, input);
  }

  void part(const Operator& op) {
    const bool slice = op.kind == OpKind::kSlice;
    TensorPlan& whole = plan_.tensors[slice ? op.inputs[0] : op.output];
    whole.parted_along = static_cast<int>(slice ? op.attributes.axes[0] : op.attributes.axis);
    whole.parts = slice ? slices_of(op.inputs[0]) : op.inputs;
  }

  std::vector<TensorId> slices_of(TensorId whole) const {
    std::vector<TensorId> slices;
    for (const OperatorId reader : plan_.graph.tensor(whole).consumers) slices.push_back(plan_.graph.op(reader).output);
    return slices;
  }

  void slice(const Operator& op) {
    TensorPlan& part = plan_.tensors[op.output];
    part.alias_of = op.inputs[0];
    part.joined_along = static_cast<int>(op.attributes.axes[0]);
    part.first = op.attributes.starts[0];
  }

  // Renamings before it have been given the memory of its input, which has none any more.
  void permute(const Operator& transpose) {
    for (const TensorId before : written_for(plan_.graph, transpose)) {
      plan_.tensors[before].alias_of = transpose.output;
      plan_.tensors[before].permuted = *order_before(plan_.graph, transpose, before);
    }
  }

  Plan& plan_;
};

// Where the label says.
void cut_tensors(Plan& plan, const TensorCuts& cuts) {
  int next_region = 0;  // of the placement in turn
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id) {
    TensorPlan& placed = plan.tensors[id];
    placed.pieces.clear();
    if (placed.alias_of >= 0 || !placed.parts.empty() || stays_on_core(plan, id)) continue;
    if (lies_in_clusters(plan, id)) {
      set_cluster_pieces(plan, id, cuts);
      continue;
    }
    const Cut cut = cuts.in_dram(id);
    placed.split_dimension = cut.dimension;
    for (const auto& [range, nearest] : cut.ranges) {
      const bool in_turn = plan.options.placement == Placement::kRoundRobin;
      placed.pieces.push_back({range, 0, in_turn ? next_region++ % plan.hardware.dram.regions : nearest});
    }
  }
}

// Who else needs what is read: at least what the strategies of a user say.
void set_swaps(Plan& plan) {
  for (const OperatorId id : plan.order) {
    auto& labels = plan.operators[id].labels.inputs;
    for (std::size_t input = 0; input < labels.size(); ++input)
      labels[input].swap = std::max(labels[input].swap, needed_swap(plan, id, input));
  }
  const std::vector<Swap> most = most_swaps(plan);
  for (TensorId id = 0; id < std::ssize(plan.labels); ++id) plan.labels[id].dynamic.swap = most[storage_of(plan, id)];
}

// Of a tensor with memory of its own: its pieces, one behind the other, are the whole of it.
void expect_whole(const Plan& plan, TensorId id) {
  const TensorPlan& tensor = plan.tensors[id];
  const Tensor& meaning = plan.graph.tensor(id);
  const std::int64_t whole = meaning.shape.empty() ? 1 : meaning.shape[tensor.split_dimension];
  std::int64_t covered = 0;
  for (const PlacedPiece& piece : tensor.pieces) {
    SIM_CHECK(piece.range.begin == covered && piece.range.size() > 0, "pieces of '{}' leave gaps", meaning.name);
    if (piece.in_dram())
      SIM_CHECK(piece.address % constants().tensor_alignment == 0, "'{}' is not aligned", meaning.name);
    covered = piece.range.end;
  }
  SIM_CHECK(covered == whole, "pieces of '{}' end at {} of {}", meaning.name, covered, whole);
}

// Of a tensor that lies in other tensors.
void expect_parts(const Plan& plan, TensorId id) {
  const TensorPlan& tensor = plan.tensors[id];
  std::int64_t size = 0;
  for (const TensorId part : tensor.parts) size += element_count(plan.graph.tensor(part).shape);
  SIM_CHECK(tensor.pieces.empty() && size == element_count(plan.graph.tensor(id).shape),
            "'{}' does not lie in its parts", plan.graph.tensor(id).name);
}

void expect_placed(const Plan& plan, TensorId id) {
  const TensorPlan& tensor = plan.tensors[id];
  const Tensor& meaning = plan.graph.tensor(id);
  if (!tensor.permuted.empty()) {
    const StorageOrder order(plan, id);
    SIM_CHECK(plan.tensors[order.storage()].alias_of < 0, "'{}' lies in the order of an alias", meaning.name);
  } else if (tensor.alias_of >= 0) {
    // No instruction touches a cache by its own name, so it need not be a run of the result's memory.
    SIM_CHECK(meaning.is_cache || !placed_view(plan, id).pieces.empty(), "alias '{}' is not placed", meaning.name);
  } else if (!tensor.parts.empty()) {
    expect_parts(plan, id);
  } else if (stays_on_core(plan, id)) {
    SIM_CHECK(tensor.pieces.empty(), "'{}' stays on the cores and has a place in memory", meaning.name);
  } else {
    expect_whole(plan, id);
  }
}

}  // namespace

void allocate(Plan& plan) {
  Aliases(plan).find();
  const TensorCuts cuts(plan);
  choose_stores(plan, cuts);
  cut_tensors(plan, cuts);
  nest_images(plan);
  set_row_gaps(plan);
  assign_addresses(plan);
  SIM_CHECK(ClusterMemory(plan).place(plan), "labels name more cluster memory than there is");
  set_swaps(plan);
}

void verify_allocate(const Plan& plan) {
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id) expect_placed(plan, id);
  expect_nesting(plan);
  expect_row_gaps(plan);
  for (const MemoryRun& run : memory_runs(plan))
    for (std::size_t i = 0; i < run.pieces.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        SIM_CHECK(!run.pieces[i].overlaps(run.pieces[j]) || !run.pieces[i].life.meets(run.pieces[j].life),
                  "'{}' and '{}' overlap", plan.graph.tensor(run.pieces[i].tensor).name,
                  plan.graph.tensor(run.pieces[j].tensor).name);
}

}  // namespace tilewright
