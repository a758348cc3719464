#include "sim/machine/dram/dram_scheduler.h"

namespace tilewright {
namespace {

DramCommand column_of(bool write) { return write ? DramCommand::kWrite : DramCommand::kRead; }

std::uint64_t bit(int index) { return std::uint64_t{1} << index; }

template <typename Visit>
void for_each_bit(std::uint64_t set, Visit&& visit) {
  for (; set != 0; set &= set - 1) visit(std::countr_zero(set));
}

// A candidate as one number, so that "earlier, then older" is a plain minimum without a branch that the processor would
// guess wrong: clocks to wait, order of acceptance, bank.
constexpr int kBankBits = 6, kWaitBits = 22;
constexpr int kOrderBits = 64 - kBankBits - kWaitBits;
static_assert(kMaxDramRequests == std::int64_t{1} << kOrderBits && kLongestDramRule < 1 << kWaitBits);
constexpr std::uint64_t kNone = ~std::uint64_t{0};

std::uint64_t key_of(Cycles wait, std::int64_t order, int bank) {
  return static_cast<std::uint64_t>(std::max<Cycles>(wait, 0)) << (kOrderBits + kBankBits) |
         static_cast<std::uint64_t>(order) << kBankBits | static_cast<std::uint64_t>(bank);
}

}  // namespace

DramScheduler::DramScheduler(int bank_groups, int banks_per_group)
    : all_banks_(~std::uint64_t{0} >> (kMostBanks - bank_groups * banks_per_group)),
      group_mask_(~std::uint64_t{0} >> (kMostBanks - banks_per_group)),
      banks_per_group_(banks_per_group),
      touched_(all_banks_) {
  for (int bank = 0; bank < bank_groups * banks_per_group; ++bank)
    group_of_[bank] = static_cast<std::uint8_t>(bank / banks_per_group);
}

std::uint64_t DramScheduler::update(const DramQueue& queue, const DramTimingState& timing, bool writes,
                                    Cycles from_column, Cycles from_row) {
  if (writes != writes_) touch_all();
  writes_ = writes;
  from_column_ = from_column;
  from_row_ = from_row;
  std::uint64_t groups = 0;
  for_each_bit(touched_ & all_banks_, [&](int bank) { groups |= bit(group_of(bank)); });
  for_each_bit(pending_, [&](int bank) {
    if (timing.earliest_in_bank(column_of(writes), bank) <= from_column) groups |= bit(group_of(bank));
  });
  for_each_bit(groups, [&](int group) { look_at_group(queue, timing, group); });
  if (touched_ == ~std::uint64_t{0}) row_bound_ = kNeverCycle;
  for_each_bit(touched_ & all_banks_, [&](int bank) { look_at_row(queue, timing, bank); });
  touched_ = 0;
  row_found_ = false;
  return groups;
}

void DramScheduler::look_at_group(const DramQueue& queue, const DramTimingState& timing, int group) {
  const std::uint64_t banks = group_mask_ << (group * banks_per_group_);
  headed_ &= ~bit(group);
  pending_ &= ~banks;
  other_ &= ~banks;
  for_each_bit(banks & queue.active_banks(), [&](int bank) {
    const int index = queue.bank(bank).active;
    if (queue.entry(index).write != writes_) {
      other_ |= bit(bank);
    } else {
      add(timing, group, candidate(queue, bank, index));
    }
  });
  for_each_bit(banks & queue.hit_banks(writes_),
               [&](int bank) { add(timing, group, candidate(queue, bank, queue.bank(bank).lists[writes_].hit)); });
}

void DramScheduler::add(const DramTimingState& timing, int group, const DramCandidate& candidate) {
  if (timing.earliest_in_bank(column_of(writes_), candidate.bank) > from_column_) {
    pending_ |= bit(candidate.bank);
    return;
  }
  if ((headed_ & bit(group)) != 0 && candidate.priority > heads_[group].priority) return;
  heads_[group] = candidate;
  headed_ |= bit(group);
}

DramCandidate DramScheduler::candidate(const DramQueue& queue, int bank, int entry) {
  const bool active = queue.bank(bank).active == entry;
  return {queue.entry(entry).order - (active ? kMaxDramRequests : 0), entry, bank};
}

// Of a bank whose requests are of the direction that is served. Behind an active request come its others.
DramCandidate DramScheduler::first_of(const DramQueue& queue, int bank) const {
  const DramBank& state = queue.bank(bank);
  const bool active = state.active != kNoEntry && queue.entry(state.active).write == writes_;
  return candidate(queue, bank, active ? state.active : state.lists[writes_].hit);
}

DramColumnChoice DramScheduler::column(const DramQueue& queue, const DramTimingState& timing, bool of_queue) const {
  DramCandidate best;
  Cycles best_clock = kNeverCycle;
  const auto consider = [&](const DramCandidate& candidate, Cycles clock) {
    if (clock > best_clock || (!of_queue && candidate.priority >= 0)) return;
    if (clock == best_clock && candidate.priority > best.priority) return;
    best = candidate;
    best_clock = clock;
  };
  const DramCommand command = column_of(writes_);
  for_each_bit(headed_, [&](int group) {
    const DramCandidate& head = heads_[group];
    consider(head, std::max(from_column_, timing.earliest_in_group(command, head.bank)));
  });
  for_each_bit(pending_, [&](int bank) {
    consider(first_of(queue, bank), std::max(from_column_, timing.earliest(command, bank)));
  });
  for_each_bit(other_, [&](int bank) {
    consider(candidate(queue, bank, queue.bank(bank).active),
             std::max(from_column_, timing.earliest(column_of(!writes_), bank)));
  });
  if (best.entry == kNoEntry) return {};
  const DramEntry& entry = queue.entry(best.entry);
  return {{best_clock, entry.order, column_of(entry.write), best.entry}, best.priority < 0};
}

// A closed bank has neither hits nor an active request, so only precharges are held back.
void DramScheduler::look_at_row(const DramQueue& queue, const DramTimingState& timing, int bank) {
  const DramBank& state = queue.bank(bank);
  const DramBankList& list = state.lists[writes_];
  opening_ &= ~bit(bank);
  closing_ &= ~bit(bank);
  if (list.miss == kNoEntry || state.active != kNoEntry) return;
  const std::int64_t order = queue.entry(list.miss).order;
  if (list.hit != kNoEntry && queue.entry(list.hit).order < order) return;
  const bool open = state.open_row != kNoRow;
  const DramCommand command = open ? DramCommand::kPrecharge : DramCommand::kActivate;
  (open ? closing_ : opening_) |= bit(bank);
  rows_[bank] = {timing.earliest_in_bank(command, bank), order};
  row_bound_ = std::min(row_bound_, std::max(from_row_, timing.earliest(command, bank)));
}

const DramChoice& DramScheduler::row(const DramQueue& queue, const DramTimingState& timing) {
  if (row_found_) return row_;
  row_found_ = true;
  for_each_bit(delayed_ & closing_,
               [&](int bank) { rows_[bank].ready = timing.earliest_in_bank(DramCommand::kPrecharge, bank); });
  delayed_ = 0;
  row_ = find_row(queue, timing);
  row_bound_ = row_.clock;
  return row_;
}

DramChoice DramScheduler::find_row(const DramQueue& queue, const DramTimingState& timing) const {
  std::uint64_t best = kNone;
  const auto look_at = [&](std::uint64_t banks, DramCommand command) {
    for_each_bit(banks, [&](int bank) {
      const Cycles clock = std::max(rows_[bank].ready, timing.earliest_in_group(command, bank));
      best = std::min(best, key_of(clock - from_row_, rows_[bank].order, bank));
    });
  };
  look_at(closing_, DramCommand::kPrecharge);
  look_at(opening_, DramCommand::kActivate);
  if (best == kNone) return {};
  const int bank = static_cast<int>(best & (bit(kBankBits) - 1));
  const bool open = (closing_ & bit(bank)) != 0;
  return {from_row_ + static_cast<Cycles>(best >> (kOrderBits + kBankBits)), rows_[bank].order,
          open ? DramCommand::kPrecharge : DramCommand::kActivate, queue.bank(bank).lists[writes_].miss};
}

DramChoice refresh_choice(const DramQueue& queue, const DramTimingState& timing, Cycles from) {
  if (queue.active_banks() != 0) return {};
  const DramCommand command = queue.open_banks() != 0 ? DramCommand::kPrechargeAll : DramCommand::kRefresh;
  return {std::max(from, timing.earliest(command, 0)), 0, command, kNoEntry};
}

}  // namespace tilewright
