#include "planner/passes/allocate/tensor_cuts.h"

#include <algorithm>
#include <map>
#include <set>

#include "planner/ir/access.h"
#include "planner/ir/contraction.h"
#include "planner/ir/group.h"
#include "planner/ir/in_place.h"
#include "planner/ir/requirement.h"
#include "planner/ir/storage_order.h"

namespace tilewright {
namespace {

// What one core writes or reads of a tensor.
struct CoreBox {
  BoxRange box;
  int home;
};

// The memory next to a core: a region of DRAM, or its cluster's.
int home_of(const Plan& plan, int core, Homes homes) {
  const int cluster = plan.hardware.cluster_of(core);
  return homes == Homes::kClusters ? cluster : plan.hardware.local_region(cluster);
}

std::vector<CoreBox> produced_parts(const Plan& plan, OperatorId producer, Homes homes);

// In the whole's coordinates.
std::vector<CoreBox> joined_parts(const Plan& plan, const Operator& concat, Homes homes) {
  std::vector<CoreBox> parts;
  for (std::size_t input = 0; input < concat.inputs.size(); ++input) {
    const std::int64_t first = first_of_input(plan.graph, concat, input);
    for (CoreBox part : produced_parts(plan, *plan.graph.tensor(concat.inputs[input]).producer, homes)) {
      Range& range = part.box[concat.attributes.axis];
      range = {range.begin + first, range.end + first};
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

// In the result's coordinates.
std::vector<CoreBox> permuted_parts(const Plan& plan, const Operator& transpose, Homes homes) {
  const TensorId written = written_for(plan.graph, transpose).back();
  const StorageOrder order(plan, written);
  std::vector<CoreBox> parts;
  for (const CoreBox& part : produced_parts(plan, *plan.graph.tensor(written).producer, homes))
    for (StorageBox& stored : order.boxes(part.box)) parts.push_back({std::move(stored.box), part.home});
  return parts;
}

// What of the parts of a whole lies in the part of it that begins at `first` along dimension `along`.
std::vector<CoreBox> clipped(std::vector<CoreBox> parts, std::size_t along, std::int64_t first, std::int64_t size) {
  std::vector<CoreBox> own;
  for (CoreBox& part : parts) {
    Range& range = part.box[along];
    range = {std::max(range.begin, first) - first, std::min(range.end, first + size) - first};
    if (range.size() > 0) own.push_back(std::move(part));
  }
  return own;
}

// Cut out of a whole that lies in its parts.
std::vector<CoreBox> cut_out_parts(const Plan& plan, const Operator& slice, Homes homes) {
  const Attributes& cut = slice.attributes;
  return clipped(produced_parts(plan, *plan.graph.tensor(slice.inputs[0]).producer, homes),
                 static_cast<std::size_t>(cut.axes[0]), cut.starts[0], cut.ends[0] - cut.starts[0]);
}

std::vector<CoreBox> produced_parts(const Plan& plan, OperatorId producer, Homes homes) {
  if (lies_in_parts(plan.graph.op(producer))) return cut_out_parts(plan, plan.graph.op(producer), homes);
  if (transposes_in_place(plan, plan.graph.op(producer))) return permuted_parts(plan, plan.graph.op(producer), homes);
  if (joins_in_place(plan, plan.graph.op(producer))) return joined_parts(plan, plan.graph.op(producer), homes);
  std::vector<CoreBox> parts;
  for (const WorkItem& item : plan.operators[producer].split.items) {
    // Of partial results the first core of a box writes the sum.
    const bool summed =
        std::any_of(parts.begin(), parts.end(), [&](const CoreBox& part) { return part.box == item.output; });
    if (!summed) parts.push_back({item.output, home_of(plan, item.core, homes)});
  }
  return parts;
}

// The partitions of operand B that the cores load one after the other.
std::vector<CoreBox> partitions_of_b(const Plan& plan, OperatorId consumer) {
  std::vector<CoreBox> parts;
  const OperatorPlan& planned = plan.operators[consumer];
  for (std::size_t i = 0; i < planned.split.items.size(); ++i) {
    const WorkItem& item = planned.split.items[i];
    const auto contraction = make_contraction(plan, plan.graph.op(consumer), item);
    const GemmShape& shape = contraction->shape();
    for (const Columns& columns : cut_columns(contraction->columns(), planned.tilings[i].partition_n))
      parts.push_back({contraction->b({0, shape.batches}, columns, {0, shape.k}).region.box,
                       home_of(plan, item.core, Homes::kRegions)});
  }
  return parts;
}

std::vector<CoreBox> consumed_parts(const Plan& plan, TensorId tensor);

// Of a constant that is read as a part of a larger one.
std::vector<CoreBox> parts_of_joined(const Plan& plan, const Operator& concat, TensorId tensor) {
  const auto at = std::find(concat.inputs.begin(), concat.inputs.end(), tensor) - concat.inputs.begin();
  const auto along = static_cast<std::size_t>(concat.attributes.axis);
  return clipped(consumed_parts(plan, concat.output), along,
                 first_of_input(plan.graph, concat, static_cast<std::size_t>(at)),
                 plan.graph.tensor(tensor).shape[along]);
}

std::vector<CoreBox> consumed_parts(const Plan& plan, TensorId tensor) {
  std::vector<CoreBox> parts;
  if (plan.graph.tensor(tensor).consumers.empty()) return parts;
  const OperatorId consumer = plan.graph.tensor(tensor).consumers.front();
  const Operator& op = plan.graph.op(consumer);
  if (lies_in_parts(op)) return parts_of_joined(plan, op, tensor);
  if (is_contraction(op.kind) &&
      make_contraction(plan, op, plan.operators[consumer].split.items[0].output)->tensor_b() == tensor)
    return partitions_of_b(plan, consumer);
  const auto inputs = all_inputs(op);
  const auto index = static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), tensor) - inputs.begin());
  for (const WorkItem& item : plan.operators[consumer].split.items)
    parts.push_back({required_input(plan, op, index, item), home_of(plan, item.core, Homes::kRegions)});
  return parts;
}

// What cores at several homes read alike is shared out among these, a run of parts for each, so that no memory serves
// all of them; cores begin with different runs (emit/walk_turn.h).
std::vector<CoreBox> shared_out(const std::vector<CoreBox>& parts) {
  std::map<BoxRange, std::set<int>> homes_of;
  for (const CoreBox& part : parts) homes_of[part.box].insert(part.home);
  std::map<std::set<int>, std::vector<BoxRange>> runs;
  for (const auto& [box, homes] : homes_of) runs[homes].push_back(box);
  std::vector<CoreBox> shared;
  for (const auto& [homes, boxes] : runs)
    for (std::size_t i = 0; i < boxes.size(); ++i)
      shared.push_back({boxes[i], *std::next(homes.begin(), i * homes.size() / boxes.size())});
  return shared;
}

// Whether neighbouring parts of one home share a piece.
enum class Neighbours { kTogether, kApart };

// Cuts of dimension `d` at the beginnings of the parts.
Cut cut_along(const std::vector<CoreBox>& parts, int d, std::int64_t size, Neighbours neighbours) {
  std::map<std::int64_t, int> home_at;  // by beginning; the first core wins
  for (const CoreBox& part : parts)
    if (part.box[d].size() > 0) home_at.emplace(part.box[d].begin, part.home);
  Cut cut{d, {}};
  for (const auto& [begin, home] : home_at) {
    const bool same_home = !cut.ranges.empty() && cut.ranges.back().second == home;
    if (same_home && neighbours == Neighbours::kTogether) continue;
    const std::int64_t from = cut.ranges.empty() ? 0 : begin;
    if (!cut.ranges.empty()) cut.ranges.back().first.end = from;
    cut.ranges.push_back({{from, size}, home});
  }
  return cut;
}

// The cut that follows the parts into the most pieces.
Cut follow(const std::vector<CoreBox>& parts, const Shape& shape, Neighbours neighbours) {
  Cut best;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    Cut cut = cut_along(parts, static_cast<int>(d), shape[d], neighbours);
    if (cut.ranges.size() > best.ranges.size()) best = std::move(cut);
  }
  return best;
}

Cut even_cut_along(const Shape& shape, std::size_t d, int regions) {
  Cut cut{static_cast<int>(d), {}};
  const std::int64_t pieces = std::min<std::int64_t>(shape[d], regions);
  for (std::int64_t i = 0; i < pieces; ++i)
    cut.ranges.push_back({{i * shape[d] / pieces, (i + 1) * shape[d] / pieces}, static_cast<int>(i)});
  return cut;
}

Cut even_cut(const Shape& shape, int regions) {
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] > 1) return even_cut_along(shape, d, regions);
  return {0, {{{0, 1}, 0}}};
}

// Cores that have parts of a group's channels walk the same rows of what it reads at the same time. Where they are at
// fewer places than there are regions, a block of rows must not lie in one of them: channels go over all. Else nothing.
Cut cut_for_walkers(const Plan& plan, TensorId id) {
  const Tensor& tensor = plan.graph.tensor(id);
  const int regions = plan.hardware.dram.regions;
  if (!tensor.producer || regions == 1) return {};
  for (const OperatorGroup& group : plan.groups) {
    const bool reads = plan.graph.op(group.members.front()).inputs[0] == id;
    if (reads && walks_windows(plan.graph, group) && group.channel_parts > 1 &&
        group.batch_parts * group.row_parts < regions)
      return even_cut_along(tensor.shape, 1, regions);
  }
  return {};
}

Cut whole(const Shape& shape, int home = 0) { return {0, {{{0, shape.empty() ? 1 : shape[0]}, home}}}; }

}  // namespace

TensorCuts::TensorCuts(const Plan& plan) : plan_(plan), aliases_(plan.tensors.size()) {
  for (const OperatorId id : plan.order) {
    const TensorId renamed = plan.graph.op(id).output;
    if (is_alias(plan.graph.op(id).kind) && plan.tensors[renamed].permuted.empty())
      aliases_[storage_of(plan, renamed)].push_back(renamed);
  }
}

// Every alias must see the pieces as ranges of one of its dimensions.
bool TensorCuts::fits_aliases(TensorId id, const Cut& cut) const {
  TensorPlan candidate;
  candidate.split_dimension = cut.dimension;
  for (const auto& [range, home] : cut.ranges) candidate.pieces.push_back({range});
  int dimension = 0;
  return std::all_of(aliases_[id].begin(), aliases_[id].end(), [&](TensorId alias) {
    return !view_pieces(candidate, plan_.graph.tensor(id).shape, plan_.graph.tensor(alias).shape, &dimension).empty();
  });
}

// From which on pieces follow those who write them: that all regions have a piece, to be read by other cores, is
// worth more than that it is near to its writers (resnet50 takes 8 % less on quad_numa).
std::size_t TensorCuts::least_pieces() const {
  return std::max<std::size_t>(2, static_cast<std::size_t>(plan_.hardware.dram.regions));
}

Cut TensorCuts::in_dram(TensorId id) const {
  const Tensor& tensor = plan_.graph.tensor(id);
  // Constants are written once, before the run: what one core reads lies in one run of addresses.
  const bool packed = tensor.kind == TensorKind::kConstant && tensor.consumers.size() == 1;
  if (plan_.hardware.dram.regions == 1 && !packed) return whole(tensor.shape);
  if (Cut cut = cut_for_walkers(plan_, id); !cut.ranges.empty() && fits_aliases(id, cut)) return cut;
  const auto parts =
      tensor.producer ? produced_parts(plan_, *tensor.producer, Homes::kRegions) : consumed_parts(plan_, id);
  Cut cut = packed ? follow(shared_out(parts), tensor.shape, Neighbours::kApart)
                   : follow(parts, tensor.shape, Neighbours::kTogether);
  if (cut.ranges.size() >= least_pieces() && fits_aliases(id, cut)) return cut;
  if (plan_.hardware.dram.regions == 1) return whole(tensor.shape);
  if (parts.size() == 1) return whole(tensor.shape, parts.front().home);
  cut = even_cut(tensor.shape, plan_.hardware.dram.regions);
  return fits_aliases(id, cut) ? cut : whole(tensor.shape);
}

Cut TensorCuts::in_clusters(TensorId id, int number) const {
  const Shape& shape = plan_.graph.tensor(id).shape;
  if (number > 0) return whole(shape, number - 1);
  const auto parts = produced_parts(plan_, *plan_.graph.tensor(id).producer, Homes::kClusters);
  Cut cut = follow(parts, shape, Neighbours::kTogether);
  return cut.ranges.size() > 1 && fits_aliases(id, cut) ? cut : whole(shape, parts.front().home);
}

}  // namespace tilewright
