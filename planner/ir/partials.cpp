#include "planner/ir/partials.h"

#include <algorithm>

#include "planner/ir/contraction.h"

namespace tilewright {
namespace {

using Share = PartialPlan::Share;

// A group of members, each given by its position in a list, whose first adds up all: every other one's parent.
int star_parent(int at) { return at == 0 ? -1 : 0; }
int binary_parent(int at) { return at == 0 ? -1 : at & (at - 1); }

// The parts of one box by rank, that of their order in the split.
class BoxReduction {
 public:
  BoxReduction(const Plan& plan, OperatorId id, std::vector<int> items)
      : plan_(plan),
        split_(plan.operators[id].split.items),
        reduction_(plan.operators[id].labels.output.reduction),
        items_(std::move(items)) {}

  std::vector<Share> shares_of(int rank) const {
    if (reduction_ == Reduction::kRing) return ring(rank);
    if (reduction_ == Reduction::kScatter) return scatter(rank);
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

  const Plan& plan_;
  const std::vector<WorkItem>& split_;
  const Reduction reduction_;
  const std::vector<int> items_;  // by rank
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

}  // namespace

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

std::optional<std::vector<Address>> places_in_clusters(const Plan& plan, OperatorId id,
                                                       const std::vector<PartialPlan>& partials,
                                                       std::vector<Bytes>& used) {
  if (!plan.hardware.cluster_memory) return {};
  std::vector<Bytes> taken = used;
  std::vector<Address> places;
  for (std::size_t item = 0; item < partials.size(); ++item) {
    Bytes& end = taken[memory_of_partial(plan, id, item)];
    places.push_back(round_up(end, constants().buffer_alignment));
    if (partials[item].bytes > 0) end = places.back() + partials[item].bytes;
    if (end > plan.hardware.cluster_memory->addressed_capacity()) return {};
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
