#include "sim/model/dram_scheduler.h"

namespace tilewright {
namespace {

DramCommand column_of(bool write) { return write ? DramCommand::kWrite : DramCommand::kRead; }

class Search {
 public:
  Search(const DramQueue& queue, const DramTimingState& timing, bool writes, Cycles from_column, Cycles from_row)
      : queue_(queue),
        timing_(timing),
        writes_(writes),
        column_(column_of(writes)),
        from_column_(from_column),
        from_row_(from_row),
        first_column_(std::max(from_column, timing.earliest_anywhere(column_))),
        first_activate_(std::max(from_row, timing.earliest_anywhere(DramCommand::kActivate))) {}

  void visit_active(int bank) {
    const int entry = queue_.bank(bank).active;
    offer(found_.active, column_of(queue_.entry(entry).write), bank, entry, from_column_);
  }

  void visit(int index) {
    const DramBank& bank = queue_.bank(index);
    const DramBankList& list = bank.lists[writes_];
    if (bank.open_row == kNoRow) return offer(found_.row, DramCommand::kActivate, index, list.miss, first_activate_);
    // An active request that is no later than any column of the queues goes before all of them.
    if (list.hit != kNoEntry && first_column_ < found_.active.clock)
      offer(found_.column, column_, index, list.hit, first_column_);
    if (may_precharge(bank, list)) offer(found_.row, DramCommand::kPrecharge, index, list.miss, from_row_);
  }

  const DramCandidates& found() const { return found_; }

 private:
  bool may_precharge(const DramBank& bank, const DramBankList& list) const {
    if (list.miss == kNoEntry || bank.active != kNoEntry) return false;
    return list.hit == kNoEntry || queue_.entry(list.miss).order < queue_.entry(list.hit).order;
  }

  // `from`: no earlier than this in any bank.
  void offer(DramChoice& best, DramCommand command, int bank, int entry, Cycles from) {
    const std::int64_t order = queue_.entry(entry).order;
    if (best.clock <= from && best.order < order) return;
    const DramChoice choice{std::max(from, timing_.earliest(command, bank)), order, command, entry};
    if (choice.before(best)) best = choice;
  }

  const DramQueue& queue_;
  const DramTimingState& timing_;
  const bool writes_;
  const DramCommand column_;
  const Cycles from_column_, from_row_, first_column_, first_activate_;
  DramCandidates found_;
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
