#include <algorithm>
#include <map>
#include <numeric>

#include "planner/search/schedule/schedule_search.h"

namespace tilewright {
namespace {

class Beam final : public OrderSearch {
 public:
  Beam(const ScheduleDag& dag, int width) : dag_(dag), width_(width) {
    NodeOrder imported(dag.size());
    std::iota(imported.begin(), imported.end(), 0);
    candidates_.push_back({imported, std::nullopt});
  }

  std::optional<NodeOrder> next() override {
    if (asked_ == candidates_.size() && reported_ == asked_ && fixed_ < dag_.size()) step();
    if (asked_ == candidates_.size()) return std::nullopt;
    return candidates_[asked_++].order;
  }

  void report(const NodeOrder&, std::optional<Cycles> time) override { candidates_[reported_++].time = time; }

 private:
  struct Candidate {
    NodeOrder order;
    std::optional<Cycles> time;  // nothing: cannot run, behind all others
  };

  static bool faster(const Candidate& a, const Candidate& b) {
    if (a.time.has_value() != b.time.has_value()) return a.time.has_value();
    return a.time != b.time ? a.time < b.time : a.order < b.order;
  }

  // Of candidates with the same nodes in front the fastest, of these the fastest few.
  void select() {
    std::sort(candidates_.begin(), candidates_.end(), faster);
    std::map<NodeOrder, bool> fronts;
    std::erase_if(candidates_, [&](const Candidate& candidate) {
      NodeOrder front(candidate.order.begin(), candidate.order.begin() + fixed_);
      std::sort(front.begin(), front.end());
      return !fronts.emplace(std::move(front), true).second;
    });
    if (static_cast<int>(candidates_.size()) > width_) candidates_.resize(width_);
  }

  void step() {
    select();
    std::vector<Candidate> longer;
    for (const Candidate& candidate : candidates_) {
      std::vector<bool> done(dag_.size(), false);
      for (int i = 0; i < fixed_; ++i) done[candidate.order[i]] = true;
      for (const int node : ready_nodes(dag_, done)) {
        NodeOrder order = candidate.order;
        const auto at = std::find(order.begin() + fixed_, order.end(), node);
        std::rotate(order.begin() + fixed_, at, at + 1);
        longer.push_back({std::move(order), std::nullopt});
      }
    }
    candidates_ = std::move(longer);
    asked_ = reported_ = 0;
    ++fixed_;
  }

  ScheduleDag dag_;
  int width_;
  std::vector<Candidate> candidates_;
  std::size_t asked_ = 0, reported_ = 0;
  int fixed_ = 0;  // nodes in front that are decided
};

}  // namespace

std::unique_ptr<OrderSearch> search_beam(const ScheduleDag& dag, int width) {
  return std::make_unique<Beam>(dag, width);
}

}  // namespace tilewright
