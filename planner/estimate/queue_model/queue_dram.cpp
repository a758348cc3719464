#include "planner/estimate/queue_model/queue_dram.h"

#include <algorithm>
#include <bit>

namespace tilewright {

QueueDram::QueueDram(const DramSpec& spec, QueueCommandBus* bus)
    : spec_(spec),
      bus_(bus),
      queue_(spec.bank_groups * spec.banks_per_group,
             spec.read_queue + spec.write_queue + spec.bank_groups * spec.banks_per_group),
      banks_(spec.bank_groups * spec.banks_per_group),
      groups_(spec.bank_groups) {
  for (std::size_t bank = 0; bank < banks_.size(); ++bank)
    banks_[bank].group = static_cast<int>(bank) / spec.banks_per_group;
  opens_.fill(kLongAgo);
  if (spec.timing.REFI > 0) refresh_due_ = spec.timing.REFI;
}

// From the clock it is due a refresh goes before the queues; only requests with an opened row go before it.
Cycles QueueDram::serve(Cycles now, std::vector<DramServed>& served) {
  for (;;) {
    accept(now, served);
    if (queue_.empty()) return next_accept(now);
    refresh(now);
    choose_direction();
    const Cycles look = now < refresh_due_ ? std::min(open_rows(now), refresh_due_) : kNeverCycle;
    const Next& next = find_next(now);
    const Cycles from = next.start > now ? next.start : bus_from(now);
    if (from > now) return std::min({from, look, next_accept(now)});
    start(next.entry, now, served);
  }
}

// Behind what arrives at the same clock or before.
void QueueDram::push(const DramWork& work, Cycles clock) {
  arrivals_.push_back({clock, work});
  for (std::size_t i = arrivals_.size() - 1; i > 0 && arrivals_[i - 1].clock > clock; --i)
    std::swap(arrivals_[i - 1], arrivals_[i]);
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
    DramEntry entry;
    entry.order = accepted_++;
    entry.row = work.row;
    entry.bursts = work.bursts;
    entry.id = work.request;
    entry.bank = static_cast<std::int16_t>(work.bank);
    entry.write = work.write;
    queue_.insert(entry);
    if (next_known_) consider_arrived(entry, now);
  }
}

// It may start before what is known to start first if it is its bank's oldest to the open row.
void QueueDram::consider_arrived(const DramEntry& entry, Cycles now) {
  const int hit = queue_.bank(entry.bank).lists[entry.write].hit;
  if (entry.write == writing_ && next_with_hits_ && hit != kNoEntry && queue_.entry(hit).order == entry.order)
    consider(hit, now, next_);
}

// Closes all rows, once those that wait for an opened one are served. Refreshes that fell due while nothing was asked
// are over.
void QueueDram::refresh(Cycles now) {
  if (now < refresh_due_ || queue_.active_banks() != 0) return;
  const Cycles due = refresh_due_ + (now - refresh_due_) / spec_.timing.REFI * spec_.timing.REFI;
  refresh_due_ = due + spec_.timing.REFI;
  Cycles from = due;
  for (const Bank& bank : banks_) from = std::max(from, bank.closable);
  const Cycles over = from + (queue_.open_banks() != 0 ? spec_.timing.RP : 0) + spec_.timing.RFC;
  next_open_ = std::max(next_open_, over);
  bus_free_ = std::max(bus_free_, over);
  queue_.close_all();
  next_known_ = false;
}

void QueueDram::choose_direction() {
  const bool no_reads = queue_.size(false) == 0;
  const auto writes = static_cast<double>(queue_.size(true));
  const bool was_writing = writing_;
  writing_ =
      writing_ ? no_reads || writes >= spec_.drain_below() : no_reads || writes > spec_.write_high * spec_.write_queue;
  if (writing_ != was_writing) next_known_ = false;
}

// What was found before and lies ahead still holds, but for what has arrived since; whatever else may change it forgets
// it.
const QueueDram::Next& QueueDram::find_next(Cycles now) {
  const bool hits_may_start = now < refresh_due_;
  if (next_known_ && next_with_hits_ == hits_may_start) return next_;
  next_ = Next{};
  find_start(queue_.active_banks(), true, now, next_);
  if (hits_may_start) find_start(queue_.hit_banks(writing_), false, now, next_);
  next_known_ = true;
  next_with_hits_ = hits_may_start;
  return next_;
}

// Among the active requests of these banks, or their oldest ones to open rows: earliest, then oldest.
void QueueDram::find_start(std::uint64_t banks, bool active, Cycles now, Next& next) const {
  for (; banks != 0; banks &= banks - 1) {
    const DramBank& bank = queue_.bank(std::countr_zero(banks));
    consider(active ? bank.active : bank.lists[writing_].hit, now, next);
  }
}

void QueueDram::consider(int index, Cycles now, Next& next) const {
  const DramEntry& entry = queue_.entry(index);
  if (entry.order > next.order && next.start <= std::max(now, data_from(entry))) return;  // cannot be earlier
  const Cycles at = std::max(start_of(entry), now);
  if (at < next.start || (at == next.start && entry.order < next.order)) next = {at, index, entry.order};
}

// When the first burst of a request can go whose row is open. The bus may be one request behind: the bursts of two bank
// groups pass in turn. The data bus turns round between two directions.
Cycles QueueDram::start_of(const DramEntry& entry) const {
  const Bank& bank = banks_[entry.bank];
  const Group& group = groups_[bank.group];
  const Cycles turned = entry.write ? write_from_ : std::max(read_from_, group.read_from);
  return std::max({bank.ready, group.free, data_from(entry), turned});
}

// Closes and opens rows for the oldest request of each bank that no older one and no active one keeps open, the oldest
// first. Returns when the next one can.
Cycles QueueDram::open_rows(Cycles now) {
  for (;;) {
    Cycles look = kNeverCycle;
    int oldest = kNoEntry;
    for (std::uint64_t banks = queue_.miss_banks(writing_) & ~queue_.active_banks(); banks != 0; banks &= banks - 1) {
      const int bank = std::countr_zero(banks);
      const DramBankList& list = queue_.bank(bank).lists[writing_];
      const std::int64_t order = queue_.entry(list.miss).order;
      if (list.hit != kNoEntry && queue_.entry(list.hit).order < order) continue;
      const Cycles at = row_clock(bank);
      if (at > now)
        look = std::min(look, at);
      else if (oldest == kNoEntry || order < queue_.entry(oldest).order)
        oldest = list.miss;
    }
    if (oldest == kNoEntry) return look;
    open(oldest, now);
  }
}

// When the bank of the row begins to open it: by closing another one first. It keeps the others' distances behind that.
Cycles QueueDram::row_clock(int bank) const {
  return queue_.bank(bank).open_row == kNoRow ? kLongAgo : banks_[bank].closable;
}

void QueueDram::open(int index, Cycles now) {
  const DramTiming& t = spec_.timing;
  const DramEntry entry = queue_.entry(index);
  Bank& bank = banks_[entry.bank];
  Group& group = group_of(entry.bank);
  const bool closes = queue_.bank(entry.bank).open_row != kNoRow;
  const Cycles from = spec_.dual_command_bus ? now : take_bus(now, closes ? 2 : 1);
  const Cycles closed = from + (closes ? t.RP : 0);
  const Cycles at =
      std::max({closed, next_open_, bank.opened + t.RC, group.opened + t.RRD_L, opens_[oldest_open_] + t.FAW});
  next_known_ = false;
  ++activity_.activates;
  queue_.make_active(index);
  queue_.open(entry.bank, entry.row);
  next_open_ = at + t.RRD_S;
  group.opened = at;
  opens_[oldest_open_] = at;
  oldest_open_ = (oldest_open_ + 1) % kOpensInWindow;
  bank.opened = at;
  bank.ready = at + (entry.write ? t.RCDWR : t.RCDRD);
  bank.closable = at + t.RAS;
}

void QueueDram::start(int index, Cycles now, std::vector<DramServed>& served) {
  const DramTiming& t = spec_.timing;
  const DramEntry entry = queue_.entry(index);
  queue_.remove(index);
  next_known_ = false;
  take_bus(now, entry.bursts);
  Bank& bank = banks_[entry.bank];
  Group& group = group_of(entry.bank);
  (entry.write ? activity_.write_bursts : activity_.read_bursts) += entry.bursts;
  const int gap = t.burst_gap(), group_gap = t.group_burst_gap();
  bus_free_ = std::max(bus_free_, now) + entry.bursts * gap;
  group.free = std::max(now + entry.bursts * group_gap, bus_free_ + group_gap - gap);
  const Cycles last = std::max(now + (entry.bursts - 1) * group_gap, bus_free_ - gap);
  bank.closable = std::max(bank.closable, last + (entry.write ? t.CWL + t.burst + t.WR : t.RTP));
  if (entry.write) {
    read_from_ = last + t.CWL + t.burst + t.WTR_S;
    group.read_from = last + t.CWL + t.burst + t.WTR_L;
  } else {
    write_from_ = last + t.RTW;
  }
  const Cycles over = last + (entry.write ? t.CWL : t.CL) + t.burst;
  quiet_ = std::max(quiet_, over);
  if (!entry.write) served.push_back({entry.id, over});
}

}  // namespace tilewright
