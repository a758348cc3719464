#include "sim/model/dram_scheduler.h"

namespace tilewright {
namespace {

DramCommand column_of(bool write) { return write ? DramCommand::kWrite : DramCommand::kRead; }

// A candidate as one number, so that "earlier, then older" is a plain minimum without a branch that the processor would
// guess wrong: clocks to wait, order of acceptance, bank.
constexpr int kBankBits = 6, kWaitBits = 22;
constexpr int kOrderBits = 64 - kBankBits - kWaitBits;
static_assert(kMostDramRequests == std::int64_t{1} << kOrderBits && kLongestDramRule < 1 << kWaitBits);
constexpr std::uint64_t kNone = ~std::uint64_t{0};

std::uint64_t key_of(Cycles wait, std::uint64_t order, int bank) {
  return static_cast<std::uint64_t>(std::max<Cycles>(wait, 0)) << (kOrderBits + kBankBits) | order << kBankBits |
         static_cast<std::uint64_t>(bank);
}

class Search {
 public:
  Search(const DramQueue& queue, const DramTimingState& timing, bool writes, Cycles from_column, Cycles from_row)
      : queue_(queue), timing_(timing), writes_(writes), from_column_(from_column), from_row_(from_row) {}

  void visit_active(int bank) {
    const DramEntry& entry = queue_.entry(queue_.bank(bank).active);
    const Cycles wait = timing_.earliest(column_of(entry.write), bank) - from_column_;
    active_ = std::min(active_, key_of(wait, static_cast<std::uint64_t>(entry.order), bank));
  }

  void visit(int index) {
    const DramBank& bank = queue_.bank(index);
    const DramBankList& list = bank.lists[writes_];
    const std::uint64_t hit = order_of(list.hit), miss = order_of(list.miss);
    const Cycles column_wait = timing_.earliest(column_of(writes_), index) - from_column_;
    column_ = std::min(column_, list.hit == kNoEntry ? kNone : key_of(column_wait, hit, index));
    // A closed bank has neither hits nor an active request, so this holds back precharges only.
    const bool held = (miss >= hit) | (bank.active != kNoEntry);
    const Cycles row_wait = timing_.earliest(opening_of(bank), index) - from_row_;
    row_ = std::min(row_, held ? kNone : key_of(row_wait, miss, index));
  }

  DramCandidates found() const {
    DramCandidates found;
    if (active_ != kNone) {
      const int entry = queue_.bank(bank_of(active_)).active;
      found.active = choice(active_, from_column_, column_of(queue_.entry(entry).write), entry);
    }
    if (column_ != kNone) found.column = choice(column_, from_column_, column_of(writes_), list_of(column_).hit);
    if (row_ != kNone) found.row = choice(row_, from_row_, opening_of(queue_.bank(bank_of(row_))), list_of(row_).miss);
    return found;
  }

 private:
  static int bank_of(std::uint64_t key) { return static_cast<int>(key & ((1 << kBankBits) - 1)); }
  static DramCommand opening_of(const DramBank& bank) {
    return bank.open_row == kNoRow ? DramCommand::kActivate : DramCommand::kPrecharge;
  }
  const DramBankList& list_of(std::uint64_t key) const { return queue_.bank(bank_of(key)).lists[writes_]; }

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
  const Cycles from_column_, from_row_;
  std::uint64_t active_ = kNone, column_ = kNone, row_ = kNone;
};

}  // namespace

DramCandidates find_candidates(const DramQueue& queue, const DramTimingState& timing, bool writes, Cycles from_column,
                               Cycles from_row) {
  Search search(queue, timing, writes, from_column, from_row);
  for (std::uint64_t set = queue.active_banks(); set != 0; set &= set - 1) search.visit_active(std::countr_zero(set));
  for (std::uint64_t set = queue.waiting_banks(writes); set != 0; set &= set - 1) search.visit(std::countr_zero(set));
  return search.found();
}

DramChoice refresh_choice(const DramQueue& queue, const DramTimingState& timing, Cycles from) {
  if (queue.active_banks() != 0) return {};
  const DramCommand command = queue.open_banks() != 0 ? DramCommand::kPrechargeAll : DramCommand::kRefresh;
  return {std::max(from, timing.earliest(command, 0)), 0, command, kNoEntry};
}

}  // namespace tilewright
