#include "sim/machine/dram/dram_scheduler.h"

namespace tilewright {
namespace {

DramCommand column_of(bool write) { return write ? DramCommand::kWrite : DramCommand::kRead; }

// A candidate as one number, so that "earlier, then older" is a plain minimum without a branch that the processor would
// guess wrong: clocks to wait, order of acceptance, bank.
constexpr int kBankBits = 6, kWaitBits = 22;
constexpr int kOrderBits = 64 - kBankBits - kWaitBits;
static_assert(kMaxDramRequests == std::int64_t{1} << kOrderBits && kLongestDramRule < 1 << kWaitBits);
constexpr std::uint64_t kNone = ~std::uint64_t{0};

std::uint64_t key_of(Cycles wait, std::uint64_t order, int bank) {
  return static_cast<std::uint64_t>(std::max<Cycles>(wait, 0)) << (kOrderBits + kBankBits) | order << kBankBits |
         static_cast<std::uint64_t>(bank);
}

class Search {
 public:
  Search(const DramQueue& queue, const DramTimingState& timing, bool writes)
      : queue_(queue), timing_(timing), writes_(writes) {}

  DramChoice active(Cycles from) const {
    std::uint64_t best = kNone;
    for (std::uint64_t set = queue_.active_banks(); set != 0; set &= set - 1) {
      const int bank = std::countr_zero(set);
      const DramEntry& entry = queue_.entry(queue_.bank(bank).active);
      const Cycles wait = timing_.earliest(column_of(entry.write), bank) - from;
      best = std::min(best, key_of(wait, static_cast<std::uint64_t>(entry.order), bank));
    }
    if (best == kNone) return {};
    const int entry = queue_.bank(bank_of(best)).active;
    return choice(best, from, column_of(queue_.entry(entry).write), entry);
  }

  // Among these banks, which all have a hit.
  DramChoice column(Cycles from, std::uint64_t banks) const {
    std::uint64_t best = kNone;
    const DramCommand command = column_of(writes_);
    for (; banks != 0; banks &= banks - 1) {
      const int bank = std::countr_zero(banks);
      best = std::min(best, key_of(timing_.earliest(command, bank) - from, order_of(list_of(bank).hit), bank));
    }
    return best == kNone ? DramChoice{} : choice(best, from, command, list_of(bank_of(best)).hit);
  }

  // Among these banks, which all have a request of a row that is not open.
  DramChoice row(Cycles from, std::uint64_t banks) const {
    std::uint64_t best = kNone;
    for (; banks != 0; banks &= banks - 1) {
      const int bank = std::countr_zero(banks);
      const std::uint64_t hit = order_of(list_of(bank).hit), miss = order_of(list_of(bank).miss);
      // A closed bank has neither hits nor an active request, so this holds back precharges only.
      const bool held = (miss >= hit) | (queue_.bank(bank).active != kNoEntry);
      best = std::min(best, held ? kNone : key_of(timing_.earliest(opening_of(bank), bank) - from, miss, bank));
    }
    if (best == kNone) return {};
    return choice(best, from, opening_of(bank_of(best)), list_of(bank_of(best)).miss);
  }

 private:
  static int bank_of(std::uint64_t key) { return static_cast<int>(key & ((1 << kBankBits) - 1)); }
  const DramBankList& list_of(int bank) const { return queue_.bank(bank).lists[writes_]; }
  DramCommand opening_of(int bank) const {
    return queue_.bank(bank).open_row == kNoRow ? DramCommand::kActivate : DramCommand::kPrecharge;
  }

  std::uint64_t order_of(int entry) const {
    const auto order = static_cast<std::uint64_t>(queue_.entry(std::max(entry, 0)).order);
    return entry == kNoEntry ? kNone : order;
  }

  DramChoice choice(std::uint64_t key, Cycles from, DramCommand command, int entry) const {
    const auto wait = static_cast<Cycles>(key >> (kOrderBits + kBankBits));
    return {from + wait, queue_.entry(entry).order, command, entry};
  }

  const DramQueue& queue_;
  const DramTimingState& timing_;
  const bool writes_;
};

}  // namespace

DramCandidates DramScheduler::find(const DramQueue& queue, const DramTimingState& timing, bool writes,
                                   Cycles from_column, Cycles from_row) {
  if (writes != writes_) touch_all();
  writes_ = writes;
  const Search search(queue, timing, writes);
  const auto update = [&](Best& best, Cycles from, std::uint64_t banks, auto&& search_among) {
    const DramChoice& old = best.choice;
    const bool none = old.entry == kNoEntry;
    const bool stands = none || ((touched_ >> best.bank & 1u) == 0 &&
                                 std::max(timing.earliest(old.command, best.bank), from) == old.clock);
    const DramChoice found = search_among(from, stands ? banks & touched_ : banks);
    if (stands && !found.before(old)) return;
    best = {found, found.entry == kNoEntry ? 0 : queue.entry(found.entry).bank};
  };
  update(column_, from_column, queue.hit_banks(writes),
         [&](Cycles from, std::uint64_t banks) { return search.column(from, banks); });
  update(row_, from_row, queue.miss_banks(writes),
         [&](Cycles from, std::uint64_t banks) { return search.row(from, banks); });
  touched_ = 0;
  return {search.active(from_column), column_.choice, row_.choice};
}

DramChoice refresh_choice(const DramQueue& queue, const DramTimingState& timing, Cycles from) {
  if (queue.active_banks() != 0) return {};
  const DramCommand command = queue.open_banks() != 0 ? DramCommand::kPrechargeAll : DramCommand::kRefresh;
  return {std::max(from, timing.earliest(command, 0)), 0, command, kNoEntry};
}

}  // namespace tilewright
