#include "planner/search/schedule/schedule_outlook.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/error.h"

namespace tilewright {
namespace {

// Orders the model learns from; when it is full it keeps the faster half.
constexpr std::size_t kMostLearnt = 128;

// Orders asked before the first of them is reported: few, so that the model learns early.
constexpr std::size_t kMostUnderWay = 4;

}  // namespace

void OrderOutlook::look_at(const std::vector<NodeOrder>& orders) {
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
    known_[fresh[i]].predicted = predicted[i] ? std::log(*predicted[i]) : kCannotRun;
}

double OrderOutlook::promise(const NodeOrder& order) const {
  const double predicted = known_.at(order).predicted;
  return predicted == kCannotRun ? kCannotRun : predicted + model_.promise(order);
}

std::vector<NodeOrder> OrderOutlook::promising() const {
  std::vector<std::pair<double, NodeOrder>> sorted;
  for (const auto& [order, known] : known_) sorted.emplace_back(promise(order), order);
  std::sort(sorted.begin(), sorted.end());
  std::vector<NodeOrder> orders;
  for (auto& [worth, order] : sorted) orders.push_back(std::move(order));
  return orders;
}

int OrderOutlook::looks_for_next() { return std::exchange(has_looked_, true) ? kLooksLater : (looks_left_ + 1) / 2; }

std::optional<NodeOrder> OrderOutlook::next(const std::function<void(int)>& look) {
  if (best_.empty()) {
    ask(imported_order(dag_));
    return best_;
  }
  if (reported_ == 0 || under_way_ >= kMostUnderWay) return std::nullopt;
  look(looks_for_next());
  return ask();
}

std::optional<NodeOrder> OrderOutlook::ask() {
  const NodeOrder* most = nullptr;
  double best = 0;
  for (const auto& [order, known] : known_) {
    if (known.asked) continue;
    const double worth = promise(order);
    if (!most || worth < best) most = &order, best = worth;
  }
  if (!most) return std::nullopt;
  const NodeOrder chosen = *most;
  ask(chosen);
  return chosen;
}

void OrderOutlook::ask(const NodeOrder& order) {
  looks_left_ += !knows(order);  // not one of those that the search may choose from
  look_at({order});
  known_.at(order).asked = true;
  if (best_.empty()) best_ = order;
  model_.add(order);
  ++under_way_;
}

// What cannot run counts as slow as the slowest.
void OrderOutlook::report(const NodeOrder& order, std::optional<Cycles> time) {
  --under_way_;
  ++reported_;
  const double predicted = known_.at(order).predicted;
  const double seen = time ? std::log(static_cast<double>(*time)) : slowest_;
  slowest_ = std::max(slowest_, seen);
  if (time && (!fastest_ || seen < *fastest_)) fastest_ = seen, best_ = order;
  seen_.push_back({seen, time ? seen - predicted : 0, order});
  model_.set_excess(seen_.size() - 1, seen_.back().excess);
  if (model_.size() == seen_.size() && seen_.size() >= kMostLearnt) forget();
  model_.fit();
}

void OrderOutlook::forget() {
  std::stable_sort(seen_.begin(), seen_.end(), [](const Seen& a, const Seen& b) { return a.time < b.time; });
  seen_.resize(kMostLearnt / 2);
  model_ = OrderModel(dag_);
  for (const Seen& one : seen_) model_.add(one.order);
  for (std::size_t i = 0; i < seen_.size(); ++i) model_.set_excess(i, seen_[i].excess);
}

}  // namespace tilewright
