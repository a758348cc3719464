#include "planner/search/order/order_candidates.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "planner/constants/constants.h"
#include "sim/base/error.h"

namespace tilewright {
void OrderCandidates::look_at(const std::vector<NodeOrder>& orders) {
  std::vector<NodeOrder> fresh;
  for (const NodeOrder& order : orders)
    if (looks_left_ > 0 && known_.emplace(order, Known{}).second) {
      fresh.push_back(order);
      --looks_left_;
    }
  if (fresh.empty()) return;
  const auto predicted = forecast_(fresh);
  SIM_CHECK(predicted.size() == fresh.size(), "{} predictions of {} orders", predicted.size(), fresh.size());
  for (std::size_t i = 0; i < fresh.size(); ++i)
    known_[fresh[i]].predicted =
        predicted[i].time ? std::log(*predicted[i].time) : kNoRoom + std::log1p(predicted[i].needed);
}

double OrderCandidates::acquisition(const NodeOrder& order) const {
  const double predicted = known_.at(order).predicted;
  return predicted >= kNoRoom ? predicted : predicted + model_.acquisition(order);
}

std::vector<NodeOrder> OrderCandidates::promising() const {
  std::vector<std::pair<double, NodeOrder>> sorted;
  for (const auto& [order, known] : known_) sorted.emplace_back(acquisition(order), order);
  std::sort(sorted.begin(), sorted.end());
  std::vector<NodeOrder> orders;
  for (auto& [worth, order] : sorted) orders.push_back(std::move(order));
  return orders;
}

int OrderCandidates::looks_for_next() {
  return std::exchange(has_looked_, true) ? looks_later() : (looks_left_ + 1) / 2;
}

std::optional<NodeOrder> OrderCandidates::next(const std::function<void(int)>& look) {
  if (best_.empty()) {
    ask(imported_order(dag_));
    return best_;
  }
  if (auto start = ask_start()) return start;
  if (reported_ == 0 || std::cmp_greater_equal(under_way_, constants().order_under_way)) return std::nullopt;
  // Until there is one that the chip has room for.
  for (int before = looks_left_ + 1; looks_left_ < before;) {
    before = looks_left_;
    look(looks_for_next());
    if (auto order = ask()) return order;
  }
  return std::nullopt;
}

std::optional<NodeOrder> OrderCandidates::ask_start() {
  while (!starts_.empty()) {
    const NodeOrder start = std::move(starts_.back());
    starts_.pop_back();
    if (knows(start)) continue;
    ask(start);
    return start;
  }
  return std::nullopt;
}

std::optional<NodeOrder> OrderCandidates::ask() {
  const NodeOrder* most = nullptr;
  double best = 0;
  for (const auto& [order, known] : known_) {
    if (known.asked) continue;
    const double worth = acquisition(order);
    if (worth < kNoRoom && (!most || worth < best)) most = &order, best = worth;
  }
  if (!most) return std::nullopt;
  const NodeOrder chosen = *most;
  ask(chosen);
  return chosen;
}

void OrderCandidates::ask(const NodeOrder& order) {
  looks_left_ += !knows(order);  // not one of those that the search may choose from
  look_at({order});
  known_.at(order).asked = true;
  if (best_.empty()) best_ = order;
  model_.add(order);
  ++under_way_;
}

// What cannot run counts as slow as the slowest.
void OrderCandidates::report(const NodeOrder& order, std::optional<Cycles> time) {
  --under_way_;
  ++reported_;
  const double predicted = known_.at(order).predicted;
  SIM_CHECK(!time || predicted < kNoRoom, "an order that the chip has no room for took {} cycles", *time);
  const double seen = time ? std::log(static_cast<double>(*time)) : slowest_;
  slowest_ = std::max(slowest_, seen);
  if (time && (!fastest_ || seen < *fastest_)) fastest_ = seen, best_ = order;
  seen_.push_back({seen, time ? seen - predicted : 0, order});
  model_.set_excess(seen_.size() - 1, seen_.back().excess);
  if (model_.size() == seen_.size() && std::ssize(seen_) >= constants().order_learnt) forget();
  model_.fit();
}

void OrderCandidates::forget() {
  std::stable_sort(seen_.begin(), seen_.end(), [](const Seen& a, const Seen& b) { return a.time < b.time; });
  seen_.resize(static_cast<std::size_t>(constants().order_learnt / 2));
  model_ = OrderSurrogate(dag_);
  for (const Seen& one : seen_) model_.add(one.order);
  for (std::size_t i = 0; i < seen_.size(); ++i) model_.set_excess(i, seen_[i].excess);
}

}  // namespace tilewright
