#include "planner/ir/partials.h"

#include <algorithm>
#include <map>

#include "planner/ir/contraction.h"

namespace tilewright {
namespace {

using Share = PartialPlan::Share;

// A group of members, each given by its position in a list, whose first adds up all: every other one's parent.
int star_parent(int at) { return at == 0 ? -1 : 0; }
int binary_parent(int at) { return at == 0 ? -1 : at & (at - 1); }

// Where a part of a box stands among those of its memory, the first, the second ..., and that memory.
struct PartTurn {
  int number = 0, memory = 0;
  auto operator<=>(const PartTurn&) const = default;
};
// The parts of one box.
std::map<PartTurn, int> by_turn(const Plan& plan, OperatorId id, const std::vector<int>& items) {
  std::map<int, int> counts;  // by memory
  std::map<PartTurn, int> turns;
  for (const int item : items) {
    const int memory = memory_of_partial(plan, id, static_cast<std::size_t>(item));
    turns[{counts[memory]++, memory}] = item;
  }
  return turns;
}

// The parts of one box by rank, that of their order in the split.
class BoxReduction {
 public:
  BoxReduction(const Plan& plan, OperatorId id, std::vector<int> items)
      : plan_(plan),
        split_(plan.operators[id].split.items),
        reduction_(plan.operators[id].labels.output.reduction),
        items_(std::move(items)) {
    if (reduction_ != Reduction::kNetwork) return;
    for (const auto& [turn, item] : by_turn(plan, id, items_)) in_turn_.push_back(item);
  }

  std::vector<Share> shares_of(int rank) const {
    if (reduction_ == Reduction::kRing) return ring(rank);
    if (reduction_ == Reduction::kScatter) return scatter(rank);
    if (reduction_ == Reduction::kNetwork) return added_up(rank);
    return {tree(rank)};
  }

 private:
  int ranks() const { return static_cast<int>(items_.size()); }
  int item(int rank) const { return items_[static_cast<std::size_t>((rank + ranks()) % ranks())]; }
  int cluster_of(int rank) const { return plan_.hardware.cluster_of(split_[item(rank)].core); }

  // Inside its cluster a part has a parent there; the first of each cluster has the first of another one.
  int parent_in_tree(int rank) const {
    const auto parent = reduction_ == Reduction::kTree ? binary_parent : star_parent;
    std::vector<int> firsts;  // ranks, of each cluster
    int inside = 0;           // the part's number in its cluster
    for (int other = 0; other < ranks(); ++other) {
      const bool known =
          std::any_of(firsts.begin(), firsts.end(), [&](int first) { return cluster_of(first) == cluster_of(other); });
      if (!known) firsts.push_back(other);
      inside += other < rank && cluster_of(other) == cluster_of(rank);
    }
    if (inside > 0) return member(cluster_of(rank), parent(inside));
    const auto number = static_cast<int>(std::find(firsts.begin(), firsts.end(), rank) - firsts.begin());
    return number == 0 ? -1 : firsts[static_cast<std::size_t>(parent(number))];
  }
  // Rank of part `number` of those in the cluster.
  int member(int cluster, int number) const {
    int rank = 0;
    while (cluster_of(rank) != cluster || number-- > 0) ++rank;
    return rank;
  }

  // Those of the own cluster come first, in either order of their ranks.
  Share tree(int rank) const {
    Share share;
    if (const int parent = parent_in_tree(rank); parent >= 0) share.parent = item(parent);
    for (const bool inside : {true, false})
      for (int other = rank + 1; other < ranks(); ++other)
        if (parent_in_tree(other) == rank && (cluster_of(other) == cluster_of(rank)) == inside)
          share.children.push_back(item(other));
    return share;
  }

  // Share s begins at the core behind that of rank s and ends there.
  std::vector<Share> ring(int rank) const {
    std::vector<Share> shares;
    for (int step = 1; step <= ranks(); ++step) {
      Share share{.number = (rank - step + ranks()) % ranks()};
      if (step > 1) share.children = {item(rank - 1)};
      if (step < ranks()) share.parent = item(rank + 1);
      shares.push_back(std::move(share));
    }
    return shares;
  }

  // All others' shares are handed on, the nearest one's first; the own one comes last, in the order in which the others
  // have it ready.
  std::vector<Share> scatter(int rank) const {
    std::vector<Share> shares;
    for (int step = 1; step < ranks(); ++step)
      shares.push_back({.number = (rank + step) % ranks(), .parent = item(rank + step), .children = {}});
    Share own{.number = rank};
    for (int step = 1; step < ranks(); ++step) own.children.push_back(item(rank - step));
    shares.push_back(std::move(own));
    return shares;
  }

  // The same, in the order of reads_of().
  std::vector<Share> added_up(int rank) const {
    std::vector<Share> shares = scatter(rank);
    shares.back().children = in_turn_;
    std::erase(shares.back().children, item(rank));
    return shares;
  }

  const Plan& plan_;
  const std::vector<WorkItem>& split_;
  const Reduction reduction_;
  const std::vector<int> items_;  // by rank
  std::vector<int> in_turn_;      // items, where the network adds
};

Bytes partial_bytes(const Plan& plan, const Operator& op, const WorkItem& item) {
  const auto part = make_contraction(plan, op, item);
  const GemmShape& shape = part->shape();
  return shape.batches * shape.m * shape.n * bytes_of(accumulator_type(plan.tensors[part->tensor_a()].type));
}

std::int64_t count_handed_on(const PartialPlan& partial) {
  return std::count_if(partial.shares.begin(), partial.shares.end(),
                       [](const Share& share) { return share.parent >= 0; });
}

// Items of every box, in order.
std::vector<std::vector<int>> boxes_of(const std::vector<WorkItem>& items) {
  std::vector<std::vector<int>> boxes;
  for (int index = 0; index < std::ssize(items); ++index) {
    const auto box = std::find_if(boxes.begin(), boxes.end(), [&](const std::vector<int>& members) {
      return items[members.front()].output == items[index].output;
    });
    if (box != boxes.end())
      box->push_back(index);
    else
      boxes.push_back({index});
  }
  return boxes;
}

// By item, where the network adds: the first one of its box with its turn, whose place is that of all of these.
std::vector<int> twins_of(const Plan& plan, OperatorId id) {
  if (plan.operators[id].labels.output.reduction != Reduction::kNetwork) return {};
  const auto& items = plan.operators[id].split.items;
  std::vector<int> twins(items.size());
  for (const std::vector<int>& box : boxes_of(items)) {
    const std::map<PartTurn, int> turns = by_turn(plan, id, box);
    std::map<int, int> firsts;  // by PartTurn::number
    for (const auto& [turn, item] : turns) {
      int& first = firsts.try_emplace(turn.number, item).first->second;
      first = std::min(first, item);
    }
    for (const auto& [turn, item] : turns) twins[item] = firsts.at(turn.number);
  }
  return twins;
}

// Whether the read can bring the child as well: it lies at the same place of the next memory, as far behind the last as
// the others are apart.
bool brings(const PartialRead& read, const OperatorPlan& op, const ChipMap& map, int child) {
  const PlacedPiece &last = op.partials[read.items.back()].place, &next = op.partials[child].place;
  const int step = next.cluster - last.cluster;
  if (read.items.size() == 1 ? step <= 0 : step != read.clusters.step[1]) return false;
  return map.place_of(next.address).offset == map.place_of(last.address).offset;
}

}  // namespace

std::vector<std::size_t> parts_of_box(const std::vector<WorkItem>& items, std::size_t item) {
  if (items[item].k.size() == 0) return {item};
  std::vector<std::size_t> parts;
  for (std::size_t other = 0; other < items.size(); ++other)
    if (items[other].output == items[item].output) parts.push_back(other);
  return parts;
}

std::vector<PartialPlan> partial_plans(const Plan& plan, OperatorId id) {
  const auto& items = plan.operators[id].split.items;
  if (std::all_of(items.begin(), items.end(), [](const WorkItem& item) { return item.k.size() == 0; })) return {};
  std::vector<PartialPlan> partials(items.size());
  for (const std::vector<int>& box : boxes_of(items)) {
    const BoxReduction reduction(plan, id, box);
    for (int rank = 0; rank < std::ssize(box); ++rank) {
      PartialPlan& partial = partials[box[rank]];
      if (items[box[rank]].k.size() == 0) continue;
      partial.shares = reduction.shares_of(rank);
      if (count_handed_on(partial) > 0) partial.bytes = partial_bytes(plan, plan.graph.op(id), items[box[rank]]);
    }
  }
  return partials;
}

Bytes handed_on(const PartialPlan& partial) {
  if (partial.shares.empty()) return 0;
  return partial.bytes * count_handed_on(partial) / std::ssize(partial.shares);
}

int memory_of_partial(const Plan& plan, OperatorId id, std::size_t item) {
  const Store& store = plan.operators[id].labels.output.store;
  if (store.number > 0) return store.number - 1;
  const int cluster = plan.hardware.cluster_of(plan.operators[id].split.items[item].core);
  return store.level == StoreLevel::kCluster ? cluster : plan.hardware.local_region(cluster);
}

bool network_adds(const Hardware& hardware, const Store& store) {
  return hardware.network.reduction > 0 && hardware.clusters > 1 && hardware.cluster_memory &&
         store.level == StoreLevel::kCluster && store.number == 0;
}

std::vector<PartialRead> reads_of(const OperatorPlan& op, const ChipMap& map, const PartialPlan::Share& share) {
  const bool adds = op.labels.output.reduction == Reduction::kNetwork;
  std::vector<PartialRead> reads;
  for (const int child : share.children) {
    if (!adds || reads.empty() || !brings(reads.back(), op, map, child)) {
      reads.push_back({{child}, {}});
      continue;
    }
    PartialRead& read = reads.back();
    read.clusters.step[1] =
        static_cast<std::uint16_t>(op.partials[child].place.cluster - op.partials[read.items.back()].place.cluster);
    read.items.push_back(child);
    read.clusters.count[1] = static_cast<std::uint16_t>(read.items.size());
  }
  return reads;
}

std::optional<std::vector<Address>> places_in_clusters(const Plan& plan, OperatorId id,
                                                       const std::vector<PartialPlan>& partials,
                                                       std::vector<Bytes>& used) {
  if (!plan.hardware.cluster_memory) return {};
  const std::vector<int> twins = twins_of(plan, id);
  std::vector<Bytes> taken = used;
  std::vector<Address> places;
  for (std::size_t item = 0; item < partials.size(); ++item) {
    const int memory = memory_of_partial(plan, id, item);
    Bytes& end = taken[memory];
    const bool first = twins.empty() || twins[item] == static_cast<int>(item);
    if (!twins.empty() && first) end = std::ranges::max(taken);
    places.push_back(first ? round_up(end, constants().buffer_alignment) : places[twins[item]]);
    if (partials[item].bytes > 0) end = std::max<Bytes>(end, places.back() + partials[item].bytes);
    if (end > plan.hardware.addressed_in(memory)) return {};
  }
  used = std::move(taken);
  return places;
}

std::vector<Bytes> partial_room(const Plan& plan) {
  std::vector<Bytes> used(plan.hardware.clusters, 0);
  for (const OperatorId id : plan.order)
    if (plan.operators[id].labels.output.store.level == StoreLevel::kCluster)
      places_in_clusters(plan, id, partial_plans(plan, id), used);
  return used;
}

}  // namespace tilewright
