#include <algorithm>
#include <set>
#include <tuple>

#include "planner/search/order/order_candidates.h"
#include "planner/search/order/order_search.h"

namespace tilewright {
namespace {

class Beam final : public OrderSearch {
 public:
  Beam(const ScheduleDag& dag, int width, OrderForecast forecast, int looks, const std::vector<NodeOrder>& starts)
      : dag_(dag), width_(width), candidates_(dag, std::move(forecast), looks, starts) {}

  std::optional<NodeOrder> next() override {
    return candidates_.next([this](int looks) {
      const int left = candidates_.looks_left();
      pass(looks);
      if (candidates_.looks_left() == left) look_beside(OrderCandidates::looks_later());
    });
  }

  void report(const NodeOrder& order, std::optional<Cycles> time) override { candidates_.report(order, time); }

 private:
  struct Candidate {
    double acquisition;
    NodeOrder order;
    bool operator<(const Candidate& other) const {
      return std::tie(acquisition, order) < std::tie(other.acquisition, other.order);
    }
  };

  // At neighbours, two nodes exchanged, of the most promising orders that have any that were not seen before. Every
  // order is reached in time.
  void look_beside(int looks) {
    std::vector<NodeOrder> unseen;
    for (const NodeOrder& order : candidates_.promising())
      for (std::size_t i = 1; i < order.size() && std::ssize(unseen) < looks; ++i) {
        NodeOrder other = order;
        std::swap(other[i - 1], other[i]);
        const auto& next = dag_.next[order[i - 1]];
        const bool legal = !std::binary_search(next.begin(), next.end(), order[i]);
        if (legal && !candidates_.knows(other) && std::find(unseen.begin(), unseen.end(), other) == unseen.end())
          unseen.push_back(std::move(other));
      }
    candidates_.look_at(unseen);
  }

  // From the front to the end, looking at `looks` new orders at most, as many of them at every step.
  void pass(int looks) {
    std::vector<Candidate> beam{{0, candidates_.best()}};
    for (int fixed = 0; fixed < dag_.size(); ++fixed) {
      const int before = candidates_.looks_left();
      beam = longer(beam, fixed, (looks + dag_.size() - fixed - 1) / (dag_.size() - fixed));
      looks -= before - candidates_.looks_left();
      select(beam, fixed + 1, width_);
    }
  }

  // Every ready node next, the rest left as it is; only `fresh` orders that were not seen before.
  std::vector<Candidate> longer(const std::vector<Candidate>& beam, int fixed, int fresh) {
    std::vector<NodeOrder> orders, unseen;
    for (const Candidate& candidate : beam)
      for (NodeOrder& order : followers(candidate.order, fixed)) {
        const bool known = candidates_.knows(order);
        if (!known && std::find(unseen.begin(), unseen.end(), order) == unseen.end()) unseen.push_back(order);
        if (known) orders.push_back(std::move(order));
      }
    if (std::ssize(unseen) > fresh) unseen = spread(unseen, fresh, fixed);
    candidates_.look_at(unseen);
    for (NodeOrder& order : unseen)
      if (candidates_.knows(order)) orders.push_back(std::move(order));
    std::vector<Candidate> candidates;
    for (NodeOrder& order : orders) {
      const double acquisition = candidates_.acquisition(order);
      candidates.push_back({acquisition, std::move(order)});
    }
    return candidates;
  }

  // `count` of them, as far from each other as they lie there; with every `turn` others.
  static std::vector<NodeOrder> spread(const std::vector<NodeOrder>& orders, int count, int turn) {
    std::vector<NodeOrder> some;
    for (int i = 0; i < count; ++i) some.push_back(orders[(i * orders.size() / count + turn) % orders.size()]);
    return some;
  }

  std::vector<NodeOrder> followers(const NodeOrder& order, int fixed) const {
    NodeSet done(dag_.size());
    for (int i = 0; i < fixed; ++i) done[order[i]] = true;
    std::vector<NodeOrder> all;
    for (const int node : ready_nodes(dag_, done)) {
      all.push_back(order);
      const auto front = all.back().begin() + fixed, at = std::find(front, all.back().end(), node);
      std::rotate(front, at, at + 1);
    }
    return all;
  }

  // Of candidates with the same nodes in front the most promising, of these the `width` most promising.
  static void select(std::vector<Candidate>& beam, int fixed, int width) {
    std::sort(beam.begin(), beam.end());
    std::set<NodeOrder> fronts;
    std::erase_if(beam, [&](const Candidate& candidate) {
      NodeOrder front(candidate.order.begin(), candidate.order.begin() + fixed);
      std::sort(front.begin(), front.end());
      return !fronts.insert(std::move(front)).second;
    });
    if (beam.size() > static_cast<std::size_t>(width)) beam.resize(width);
  }

  const ScheduleDag dag_;
  const int width_;
  OrderCandidates candidates_;
};

}  // namespace

std::unique_ptr<OrderSearch> search_beam(const ScheduleDag& dag, int width, OrderForecast forecast, int looks,
                                         const std::vector<NodeOrder>& starts) {
  return std::make_unique<Beam>(dag, width, std::move(forecast), looks, starts);
}

}  // namespace tilewright
