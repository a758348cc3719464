#include "planner/search/order/list_orders.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <vector>

#include "planner/constants/constants.h"

namespace tilewright {
namespace {

// What a rule knows of a ready node; it is put at `place` of the order.
struct ReadyNode {
  int node = 0;
  int level = 0;        // nodes on the longest path that ends here
  int path_behind = 0;  // nodes on the longest path that begins here
  int since_last = 0;   // nodes put since the last one that it reads from
};

// Lower is put first.
using Rule = std::function<std::tuple<int, int, int>(const ReadyNode&)>;

// How many nodes less than `apart` lie between the node and what it reads.
int too_near(const ReadyNode& ready, std::int64_t apart) {
  return static_cast<int>(std::max<std::int64_t>(0, apart - ready.since_last));
}

class ListScheduling {
 public:
  explicit ListScheduling(const ScheduleDag& dag) : dag_(dag), levels_(dag.size(), 1), behind_(dag.size(), 1) {
    for (int node = 0; node < dag.size(); ++node)
      for (const int before : dag.previous[node]) levels_[node] = std::max(levels_[node], levels_[before] + 1);
    for (int node = dag.size(); node-- > 0;)
      for (const int next : dag.next[node]) behind_[node] = std::max(behind_[node], behind_[next] + 1);
  }

  NodeOrder order(const Rule& rule) const {
    NodeOrder order;
    std::vector<int> place(dag_.size(), -1);
    NodeSet done(dag_.size());
    while (std::ssize(order) < dag_.size()) {
      const auto ready = ready_nodes(dag_, done);
      const int node = *std::ranges::min_element(
          ready, {}, [&](int candidate) { return rule(describe(candidate, place, static_cast<int>(order.size()))); });
      place[node] = static_cast<int>(order.size());
      done[node] = true;
      order.push_back(node);
    }
    return order;
  }

 private:
  ReadyNode describe(int node, const std::vector<int>& place, int next) const {
    int last = -1;
    for (const int before : dag_.previous[node]) last = std::max(last, place[before]);
    return {node, levels_[node], behind_[node], next - last};
  }

  const ScheduleDag& dag_;
  std::vector<int> levels_, behind_;  // by node
};

}  // namespace

std::array<NodeOrder, kListOrders> list_orders(const ScheduleDag& dag) {
  const ListScheduling scheduling(dag);
  const auto apart = constants().order_apart, path_apart = constants().order_path_apart;
  return {scheduling.order([=](const ReadyNode& ready) { return std::tuple(too_near(ready, apart), ready.node, 0); }),
          scheduling.order([=](const ReadyNode& ready) {
            return std::tuple(too_near(ready, path_apart), -ready.path_behind, ready.node);
          }),
          scheduling.order([](const ReadyNode& ready) { return std::tuple(ready.level, ready.node, 0); })};
}

}  // namespace tilewright
