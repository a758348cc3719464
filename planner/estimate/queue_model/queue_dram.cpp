#include "planner/estimate/queue_model/queue_dram.h"

#include <algorithm>

namespace tilewright {

QueueDram::QueueDram(const DramSpec& spec)
    : spec_(spec), banks_(spec.bank_groups * spec.banks_per_group), group_free_(spec.bank_groups, 0) {
  if (spec.timing.REFI > 0) refresh_due_ = spec.timing.REFI;
}

Cycles QueueDram::serve(Cycles now, std::vector<DramServed>& served) {
  for (;;) {
    accept(now, served);
    if (reads_.empty() && writes_.empty()) return next_accept(now);
    refresh(now);
    choose_direction(now);
    std::size_t first = 0;
    const Cycles soonest = find_next(now, first);
    if (soonest > now) return std::min({soonest, next_accept(now), std::max(now + 1, refresh_due_)});
    const DramWork work = queue()[first];
    queue().erase(queue().begin() + static_cast<std::ptrdiff_t>(first));
    start(work, now, served);
  }
}

// Behind what arrives at the same clock or before.
void QueueDram::push(const DramWork& work, Cycles clock) {
  auto at = arrivals_.end();
  while (at != arrivals_.begin() && std::prev(at)->clock > clock) --at;
  arrivals_.insert(at, {clock, work});
}

bool QueueDram::has_room(bool write) const {
  return static_cast<int>((write ? writes_ : reads_).size()) < (write ? spec_.write_queue : spec_.read_queue);
}

// When the oldest arrival can enter its queue; kNeverCycle when something has to leave that first.
Cycles QueueDram::next_accept(Cycles now) const {
  if (arrivals_.empty() || !has_room(arrivals_.front().work.write)) return kNeverCycle;
  return std::max(now + 1, arrivals_.front().clock);
}

// A write is over for its sender when the queue takes it.
void QueueDram::accept(Cycles now, std::vector<DramServed>& served) {
  for (; !arrivals_.empty() && arrivals_.front().clock <= now; arrivals_.pop_front()) {
    const DramWork& work = arrivals_.front().work;
    if (!has_room(work.write)) return;
    if (work.write) served.push_back({work.request, now});
    (work.write ? writes_ : reads_).push_back(work);
  }
}

// Closes all rows. Refreshes that fell due while nothing was asked are over.
void QueueDram::refresh(Cycles now) {
  if (now < refresh_due_) return;
  const Cycles due = refresh_due_ + (now - refresh_due_) / spec_.timing.REFI * spec_.timing.REFI;
  refresh_due_ = due + spec_.timing.REFI;
  bool open = false;
  Cycles from = due;
  for (Bank& bank : banks_) {
    open = open || bank.row >= 0;
    from = std::max(from, bank.closable);
    bank.row = -1;
  }
  const Cycles over = from + (open ? spec_.timing.RP : 0) + spec_.timing.RFC;
  next_open_ = std::max(next_open_, over);
  bus_free_ = std::max(bus_free_, over);
}

void QueueDram::choose_direction(Cycles now) {
  const auto writes = static_cast<double>(writes_.size());
  const bool before = writing_;
  writing_ = writing_ ? reads_.empty() || writes >= spec_.write_low * spec_.write_queue
                      : reads_.empty() || writes > spec_.write_high * spec_.write_queue;
  if (writing_ == before) return;
  const DramTiming& t = spec_.timing;
  bus_free_ = std::max(bus_free_, now) + (writing_ ? t.RTW : t.CWL + t.burst + t.WTR_L) - t.CCD_S;
}

// Opens rows for the oldest request of each bank that needs another one. When the first burst of a request can go, and
// its place in the queue. The bus may be one request behind: the bursts of two bank groups pass in turn.
Cycles QueueDram::find_next(Cycles now, std::size_t& first) {
  std::uint64_t seen = 0;
  Cycles soonest = kNeverCycle;
  for (std::size_t i = 0; i < queue().size(); ++i) {
    const DramWork& work = queue()[i];
    const Bank& bank = banks_[work.bank];
    const std::uint64_t bit = std::uint64_t{1} << work.bank;
    if (bank.row != work.row) {
      if ((seen & bit) != 0 || bank.ready > now) continue;
      open(work, now);
    }
    seen |= bit;
    const Cycles bus = bus_free_ - work.bursts * spec_.timing.CCD_S;
    const Cycles at = std::max({bank.ready, group_free_[work.bank_group], bus});
    if (at < soonest) soonest = at, first = i;
    if (soonest <= now) return soonest;
  }
  return soonest;
}

void QueueDram::open(const DramWork& work, Cycles now) {
  const DramTiming& t = spec_.timing;
  Bank& bank = banks_[work.bank];
  Cycles at = std::max(now, next_open_);
  if (bank.row >= 0) at = std::max({at, bank.closable + t.RP, now + t.RP});
  at = std::max(at, bank.opened + t.RC);
  next_open_ = std::max(at, next_open_) + t.RRD_S;
  bank.row = work.row;
  bank.opened = at;
  bank.ready = at + (work.write ? t.RCDWR : t.RCDRD);
  bank.closable = at + t.RAS;
}

void QueueDram::start(const DramWork& work, Cycles now, std::vector<DramServed>& served) {
  const DramTiming& t = spec_.timing;
  Bank& bank = banks_[work.bank];
  bus_free_ = std::max(bus_free_, now) + work.bursts * t.CCD_S;
  group_free_[work.bank_group] = std::max(now + work.bursts * t.CCD_L, bus_free_ + t.CCD_L - t.CCD_S);
  const Cycles last = std::max(now + (work.bursts - 1) * t.CCD_L, bus_free_ - t.CCD_S);
  bank.closable = std::max(bank.closable, last + (work.write ? t.CWL + t.burst + t.WR : t.RTP));
  const Cycles over = last + (work.write ? t.CWL : t.CL) + t.burst;
  quiet_ = std::max(quiet_, over);
  if (!work.write) served.push_back({work.request, over});
}

}  // namespace tilewright
