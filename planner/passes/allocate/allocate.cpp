#include "planner/passes/allocate/allocate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "planner/constants/constants.h"
#include "planner/ir/access.h"
#include "planner/ir/contraction.h"
#include "planner/ir/group.h"
#include "planner/ir/in_place.h"
#include "planner/ir/memory_sharing.h"
#include "planner/ir/region_allocator.h"
#include "planner/ir/requirement.h"
#include "planner/ir/storage_order.h"
#include "planner/passes/allocate/region_memory.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Where one core's part of a tensor lies, and its region.
struct Part {
  BoxRange box;
  int region;
};

struct Cut {
  int dimension = 0;
  std::vector<std::pair<Range, int>> ranges;  // and region
};

int region_of_core(const Hardware& hardware, int core) { return hardware.local_region(hardware.cluster_of(core)); }

std::vector<Part> produced_parts(const Plan& plan, OperatorId producer);

// In the whole's coordinates.
std::vector<Part> joined_parts(const Plan& plan, const Operator& concat) {
  std::vector<Part> parts;
  for (std::size_t input = 0; input < concat.inputs.size(); ++input) {
    const std::int64_t first = first_of_input(plan.graph, concat, input);
    for (Part part : produced_parts(plan, *plan.graph.tensor(concat.inputs[input]).producer)) {
      Range& range = part.box[concat.attributes.axis];
      range = {range.begin + first, range.end + first};
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

// In the result's coordinates.
std::vector<Part> permuted_parts(const Plan& plan, const Operator& transpose) {
  const TensorId written = written_for(plan.graph, transpose).back();
  const StorageOrder order(plan, written);
  std::vector<Part> parts;
  for (const Part& part : produced_parts(plan, *plan.graph.tensor(written).producer))
    for (StorageBox& stored : order.boxes(part.box)) parts.push_back({std::move(stored.box), part.region});
  return parts;
}

std::vector<Part> produced_parts(const Plan& plan, OperatorId producer) {
  if (transposes_in_place(plan, plan.graph.op(producer))) return permuted_parts(plan, plan.graph.op(producer));
  if (joins_in_place(plan, plan.graph.op(producer))) return joined_parts(plan, plan.graph.op(producer));
  std::vector<Part> parts;
  for (const WorkItem& item : plan.operators[producer].split.items) {
    // Of partial results the first core of a box writes the sum.
    const bool summed =
        std::any_of(parts.begin(), parts.end(), [&](const Part& part) { return part.box == item.output; });
    if (!summed) parts.push_back({item.output, region_of_core(plan.hardware, item.core)});
  }
  return parts;
}

// The partitions of operand B that the cores load one after the other.
std::vector<Part> partitions_of_b(const Plan& plan, OperatorId consumer) {
  std::vector<Part> parts;
  const OperatorPlan& planned = plan.operators[consumer];
  for (std::size_t i = 0; i < planned.split.items.size(); ++i) {
    const WorkItem& item = planned.split.items[i];
    const auto contraction = make_contraction(plan, plan.graph.op(consumer), item);
    const GemmShape& shape = contraction->shape();
    for (const Columns& columns : cut_columns(contraction->columns(), planned.tilings[i].partition_n))
      parts.push_back({contraction->b({0, shape.batches}, columns, {0, shape.k}).region.box,
                       region_of_core(plan.hardware, item.core)});
  }
  return parts;
}

std::vector<Part> consumed_parts(const Plan& plan, TensorId tensor) {
  std::vector<Part> parts;
  if (plan.graph.tensor(tensor).consumers.empty()) return parts;
  const OperatorId consumer = plan.graph.tensor(tensor).consumers.front();
  const Operator& op = plan.graph.op(consumer);
  if (is_contraction(op.kind) &&
      make_contraction(plan, op, plan.operators[consumer].split.items[0].output)->tensor_b() == tensor)
    return partitions_of_b(plan, consumer);
  const auto inputs = all_inputs(op);
  const auto index = static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), tensor) - inputs.begin());
  for (const WorkItem& item : plan.operators[consumer].split.items)
    parts.push_back({required_input(plan, op, index, item), region_of_core(plan.hardware, item.core)});
  return parts;
}

// Whether neighbouring parts of one region share a piece.
enum class Neighbours { kTogether, kApart };

// Cuts of dimension `d` at the beginnings of the parts.
Cut cut_along(const std::vector<Part>& parts, int d, std::int64_t size, Neighbours neighbours) {
  std::map<std::int64_t, int> region_at;  // by beginning; the first core wins
  for (const Part& part : parts)
    if (part.box[d].size() > 0) region_at.emplace(part.box[d].begin, part.region);
  Cut cut{d, {}};
  for (const auto& [begin, region] : region_at) {
    const bool same_region = !cut.ranges.empty() && cut.ranges.back().second == region;
    if (same_region && neighbours == Neighbours::kTogether) continue;
    const std::int64_t from = cut.ranges.empty() ? 0 : begin;
    if (!cut.ranges.empty()) cut.ranges.back().first.end = from;
    cut.ranges.push_back({{from, size}, region});
  }
  return cut;
}

// The cut that follows the parts into the most pieces.
Cut follow(const std::vector<Part>& parts, const Shape& shape, Neighbours neighbours) {
  Cut best;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    Cut cut = cut_along(parts, static_cast<int>(d), shape[d], neighbours);
    if (cut.ranges.size() > best.ranges.size()) best = std::move(cut);
  }
  return best;
}

Cut even_cut(const Shape& shape, int regions) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    Cut cut{static_cast<int>(d), {}};
    const std::int64_t pieces = std::min<std::int64_t>(shape[d], regions);
    for (std::int64_t i = 0; i < pieces; ++i)
      cut.ranges.push_back({{i * shape[d] / pieces, (i + 1) * shape[d] / pieces}, static_cast<int>(i)});
    return cut;
  }
  return {0, {{{0, 1}, 0}}};
}

Cut whole(const Shape& shape, int region = 0) { return {0, {{{0, shape.empty() ? 1 : shape[0]}, region}}}; }

class TensorPlacement {
 public:
  explicit TensorPlacement(Plan& plan) : plan_(plan) {}

  void run() {
    find_aliases();
    for (TensorId id = 0; id < static_cast<TensorId>(plan_.tensors.size()); ++id)
      if (plan_.tensors[id].alias_of < 0 && !stays_on_core(plan_, id)) cut_tensor(id);
  }

 private:
  void find_aliases() {
    for (const OperatorId id : plan_.order) {
      const Operator& op = plan_.graph.op(id);
      if (joins_in_place(plan_, op)) join(op);
      if (appends_in_place(plan_, op)) place_input(op, 0);
      if (transposes_in_place(plan_, op)) permute(op);
      if (!is_alias(op.kind)) continue;
      const TensorId root = storage_of(plan_, op.inputs[0]);
      plan_.tensors[op.output].alias_of = root;
      aliases_[root].push_back(op.output);
    }
  }

  void join(const Operator& concat) {
    for (std::size_t input = 0; input < concat.inputs.size(); ++input) place_input(concat, input);
  }

  void place_input(const Operator& concat, std::size_t input) {
    TensorPlan& part = plan_.tensors[concat.inputs[input]];
    part.alias_of = concat.output;
    part.joined_along = static_cast<int>(concat.attributes.axis);
    part.first = first_of_input(plan_.graph, concat, input);
  }

  // Renamings before it have been given the memory of its input, which has none any more.
  void permute(const Operator& transpose) {
    for (const TensorId before : written_for(plan_.graph, transpose)) {
      plan_.tensors[before].alias_of = transpose.output;
      plan_.tensors[before].permuted = *order_before(plan_.graph, transpose, before);
    }
  }

  // Every alias must see the pieces as ranges of one of its dimensions.
  bool fits_aliases(TensorId id, const Cut& cut) const {
    const auto it = aliases_.find(id);
    if (it == aliases_.end()) return true;
    TensorPlan candidate;
    candidate.split_dimension = cut.dimension;
    for (const auto& [range, region] : cut.ranges) candidate.pieces.push_back({range, 0, region});
    int dimension = 0;
    return std::all_of(it->second.begin(), it->second.end(), [&](TensorId alias) {
      return !view_pieces(candidate, plan_.graph.tensor(id).shape, plan_.graph.tensor(alias).shape, &dimension).empty();
    });
  }

  // From which on pieces follow those who write them: that all regions have a piece, to be read by other cores, is
  // worth more than that it is near to its writers (resnet50 takes 8 % less on quad_numa).
  std::size_t least_pieces() const {
    return std::max<std::size_t>(2, static_cast<std::size_t>(plan_.hardware.dram.regions));
  }

  Cut choose(TensorId id) const {
    const Tensor& tensor = plan_.graph.tensor(id);
    // Constants are written once, before the run: what one core reads lies in one run of addresses.
    const bool packed = tensor.kind == TensorKind::kConstant && tensor.consumers.size() == 1;
    if (plan_.hardware.dram.regions == 1 && !packed) return whole(tensor.shape);
    const auto parts = tensor.producer ? produced_parts(plan_, *tensor.producer) : consumed_parts(plan_, id);
    Cut cut = follow(parts, tensor.shape, packed ? Neighbours::kApart : Neighbours::kTogether);
    if (cut.ranges.size() >= least_pieces() && fits_aliases(id, cut)) return cut;
    if (plan_.hardware.dram.regions == 1) return whole(tensor.shape);
    if (parts.size() == 1) return whole(tensor.shape, parts.front().region);
    cut = even_cut(tensor.shape, plan_.hardware.dram.regions);
    return fits_aliases(id, cut) ? cut : whole(tensor.shape);
  }

  void cut_tensor(TensorId id) {
    TensorPlan& placed = plan_.tensors[id];
    const Cut cut = choose(id);
    placed.split_dimension = cut.dimension;
    for (const auto& [range, nearest] : cut.ranges) {
      const bool in_turn = plan_.options.placement == Placement::kRoundRobin;
      placed.pieces.push_back({range, 0, in_turn ? next_region_++ % plan_.hardware.dram.regions : nearest});
    }
  }

  Plan& plan_;
  int next_region_ = 0;  // of the placement in turn
  std::map<TensorId, std::vector<TensorId>> aliases_;
};

}  // namespace

void allocate(Plan& plan) {
  TensorPlacement(plan).run();
  assign_addresses(plan);
}

void verify_allocate(const Plan& plan) {
  for (std::size_t id = 0; id < plan.tensors.size(); ++id) {
    const TensorPlan& tensor = plan.tensors[id];
    const Tensor& meaning = plan.graph.tensor(static_cast<TensorId>(id));
    if (!tensor.permuted.empty()) {
      const StorageOrder order(plan, static_cast<TensorId>(id));
      SIM_CHECK(plan.tensors[order.storage()].alias_of < 0, "'{}' lies in the order of an alias", meaning.name);
      continue;
    }
    if (tensor.alias_of >= 0) {
      // No instruction touches a cache by its own name, so it need not be a run of the result's memory.
      if (meaning.is_cache) continue;
      SIM_CHECK(!placed_view(plan, static_cast<TensorId>(id)).pieces.empty(), "alias '{}' is not placed", meaning.name);
      continue;
    }
    if (stays_on_core(plan, static_cast<TensorId>(id))) {
      SIM_CHECK(tensor.pieces.empty(), "'{}' stays on the cores and has a place in memory", meaning.name);
      continue;
    }
    const std::int64_t whole = meaning.shape.empty() ? 1 : meaning.shape[tensor.split_dimension];
    std::int64_t covered = 0;
    for (const PlacedPiece& piece : tensor.pieces) {
      SIM_CHECK(piece.range.begin == covered && piece.range.size() > 0, "pieces of '{}' leave gaps", meaning.name);
      SIM_CHECK(piece.address % constants().tensor_alignment == 0, "'{}' is not aligned", meaning.name);
      covered = piece.range.end;
    }
    SIM_CHECK(covered == whole, "pieces of '{}' end at {} of {}", meaning.name, covered, whole);
  }
  for (const MemoryRun& run : memory_runs(plan))
    for (std::size_t i = 0; i < run.pieces.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        SIM_CHECK(!run.pieces[i].overlaps(run.pieces[j]) || !run.pieces[i].life.meets(run.pieces[j].life),
                  "'{}' and '{}' overlap", plan.graph.tensor(run.pieces[i].tensor).name,
                  plan.graph.tensor(run.pieces[j].tensor).name);
}

}  // namespace tilewright
