#include "planner/search/order/memory_order.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "planner/ir/access.h"
#include "planner/ir/group.h"
#include "planner/ir/in_place.h"
#include "planner/ir/lifetime.h"
#include "planner/passes/pass.h"
#include "sim/base/distinct.h"

namespace tilewright {
namespace {

// Placed as if there were room for everything.
Plan placed(const SchedulePart& part) {
  Plan plan = part.tiled;
  plan.hardware.dram.channel_capacity = std::numeric_limits<Bytes>::max() / (1 << 20);
  plan.order = operators_of(part, imported_order(part.dag));
  run_passes(plan, kLastPassOfAnyOrder, "allocate", false);
  return plan;
}

bool any_of(const std::vector<int>& nodes, const NodeSet& done) {
  return std::ranges::any_of(nodes, [&](int node) { return done[node]; });
}
bool all_of(const std::vector<int>& nodes, const NodeSet& done) {
  return std::ranges::all_of(nodes, [&](int node) { return done[node]; });
}

// What a node needs, and what it leaves behind.
class OrderMemory {
 public:
  OrderMemory(int nodes, const std::vector<HeldTensor>& tensors) : tensors_(tensors), written_(nodes), touched_(nodes) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].writers.empty()) begin_ += tensors[i].bytes;
      for (const int writer : tensors[i].writers) written_[writer].push_back(i);
      std::vector<int> nodes_of_it = tensors[i].writers;
      nodes_of_it.insert(nodes_of_it.end(), tensors[i].readers.begin(), tensors[i].readers.end());
      keep_distinct(nodes_of_it);
      for (const int node : nodes_of_it) touched_[node].push_back(i);
    }
  }

  Bytes begin() const { return begin_; }
  // Memory that nobody has written to before.
  Bytes taken_by(int node, const NodeSet& before) const {
    Bytes bytes = 0;
    for (const std::size_t i : written_[node]) bytes += any_of(tensors_[i].writers, before) ? 0 : tensors_[i].bytes;
    return bytes;
  }
  // Memory that nobody needs behind `node`, the last of `done`.
  Bytes freed_by(int node, const NodeSet& done) const {
    Bytes bytes = 0;
    for (const std::size_t i : touched_[node]) bytes += is_free(tensors_[i], done) ? tensors_[i].bytes : 0;
    return bytes;
  }

 private:
  static bool is_free(const HeldTensor& tensor, const NodeSet& done) {
    return !tensor.lasting && all_of(tensor.writers, done) && all_of(tensor.readers, done);
  }

  const std::vector<HeldTensor>& tensors_;
  std::vector<std::vector<std::size_t>> written_, touched_;  // by node: tensors
  Bytes begin_ = 0;
};

// A set of nodes that have run, and the best way to it.
struct Front {
  Bytes peak = 0, live = 0;
  NodeOrder order;

  bool operator<(const Front& other) const {
    return std::tie(peak, live, order) < std::tie(other.peak, other.live, other.order);
  }
};
using Fronts = std::map<NodeSet, Front>;

// `done`: what has run in `front`.
Front behind(const OrderMemory& memory, const Front& front, const NodeSet& done, int node) {
  const Bytes during = front.live + memory.taken_by(node, done);
  Front next{std::max(front.peak, during), during - memory.freed_by(node, NodeSet(done).set(node)), front.order};
  next.order.push_back(node);
  return next;
}

void add_fronts(const ScheduleDag& dag, const OrderMemory& memory, const NodeSet& done, const Front& front,
                Fronts& fronts) {
  for (const int node : ready_nodes(dag, done)) {
    Front next = behind(memory, front, done, node);
    const auto [known, fresh] = fronts.try_emplace(NodeSet(done).set(node), next);
    if (!fresh && next < known->second) known->second = std::move(next);
  }
}

// Whether any had to go.
bool keep_lowest(Fronts& fronts, std::size_t most) {
  if (fronts.size() <= most) return false;
  std::vector<Fronts::const_iterator> lowest;
  for (auto front = fronts.cbegin(); front != fronts.cend(); ++front) lowest.push_back(front);
  const auto end = lowest.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(lowest.begin(), end, lowest.end(), [](auto a, auto b) { return a->second < b->second; });
  std::for_each(end, lowest.end(), [&](auto front) { fronts.erase(front); });
  return true;
}

}  // namespace

std::vector<HeldTensor> held_tensors(const SchedulePart& part) {
  const Plan plan = placed(part);
  std::map<OperatorId, int> nodes;
  for (int node = 0; node < part.dag.size(); ++node) nodes[part.dag.ops[node]] = node;
  // Renamings are no nodes.
  auto add_node = [&](OperatorId op, std::vector<int>& to) {
    const auto node = nodes.find(root_of(plan, op));
    if (node != nodes.end()) to.push_back(node->second);
  };
  std::map<TensorId, HeldTensor> held;
  for (TensorId id = 0; id < static_cast<TensorId>(plan.graph.tensors().size()); ++id) {
    const TensorId storage = storage_of(plan, id);
    if (!has_own_dram(plan, storage)) continue;
    const Tensor& tensor = plan.graph.tensor(id);
    HeldTensor& memory = held[storage];
    memory.bytes = bytes_of_tensor(plan, storage);
    memory.lasting = memory.lasting || tensor.kind != TensorKind::kHidden;
    if (const auto maker = made_by(plan.graph, id)) add_node(*maker, memory.writers);
    for (const OperatorId consumer : tensor.consumers) add_node(consumer, memory.readers);
  }
  std::vector<HeldTensor> tensors;
  for (auto& [storage, memory] : held) tensors.push_back(std::move(memory));
  return tensors;
}

Bytes peak_of(const ScheduleDag& dag, const std::vector<HeldTensor>& tensors, const NodeOrder& order) {
  const OrderMemory memory(dag.size(), tensors);
  NodeSet done(dag.size());
  Front front{memory.begin(), memory.begin(), {}};
  for (const int node : order) {
    front = behind(memory, front, done, node);
    done.set(node);
  }
  return front.peak;
}

MemoryOrder least_memory_order(const ScheduleDag& dag, const std::vector<HeldTensor>& tensors,
                               std::size_t most_ideals) {
  const OrderMemory memory(dag.size(), tensors);
  const std::size_t width = std::max<std::size_t>(1, most_ideals / static_cast<std::size_t>(dag.size() + 1));
  Fronts fronts{{NodeSet(dag.size()), {memory.begin(), memory.begin(), {}}}};
  bool exact = true;
  for (int size = 0; size < dag.size(); ++size) {
    Fronts next;
    for (const auto& [done, front] : fronts) add_fronts(dag, memory, done, front, next);
    exact = !keep_lowest(next, width) && exact;
    fronts = std::move(next);
  }
  const Front& best = fronts.begin()->second;
  return {best.order, best.peak, exact};
}

}  // namespace tilewright
