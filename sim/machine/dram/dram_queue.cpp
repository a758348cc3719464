#include "sim/machine/dram/dram_queue.h"

#include "sim/base/error.h"

namespace tilewright {

DramQueue::DramQueue(int banks, int entries) : entries_(entries), banks_(banks) {
  SIM_CHECK(banks >= 1 && banks <= kMostBanks, "{} banks in one pseudo channel; the bank sets hold {}", banks,
            kMostBanks);
  for (int i = entries - 1; i >= 0; --i) release(i);
}

void DramQueue::release(int index) {
  entries_[index].next = free_;
  free_ = index;
}

bool DramQueue::insert(const DramEntry& entry) {
  SIM_CHECK(free_ != kNoEntry, "no free entry in a DRAM queue");
  const int index = free_;
  DramEntry& added = entries_[index];
  free_ = added.next;
  added = entry;
  DramBank& bank = banks_[entry.bank];
  DramBankList& list = bank.lists[entry.write];
  added.previous = list.last;
  added.next = kNoEntry;
  (list.last == kNoEntry ? list.first : entries_[list.last].next) = index;
  list.last = index;
  int& oldest = entry.row == bank.open_row ? list.hit : list.miss;
  waiting_[entry.write] |= std::uint64_t{1} << entry.bank;
  ++size_[entry.write];
  if (oldest != kNoEntry) return false;
  oldest = index;
  mark(entry.bank, entry.write);
  return true;
}

// Brings the sets of banks up to date with a bank's list.
void DramQueue::mark(int bank, bool write) {
  const std::uint64_t bit = std::uint64_t{1} << bank;
  const DramBankList& list = banks_[bank].lists[write];
  hits_[write] = (hits_[write] & ~bit) | (list.hit != kNoEntry ? bit : 0);
  misses_[write] = (misses_[write] & ~bit) | (list.miss != kNoEntry ? bit : 0);
}

int DramQueue::find(int from, Address open_row, bool hit) const {
  while (from != kNoEntry && (entries_[from].row == open_row) != hit) from = entries_[from].next;
  return from;
}

void DramQueue::unlink(int index) {
  const DramEntry& gone = entries_[index];
  DramBank& bank = banks_[gone.bank];
  DramBankList& list = bank.lists[gone.write];
  if (list.hit == index) list.hit = find(gone.next, bank.open_row, true);
  if (list.miss == index) list.miss = find(gone.next, bank.open_row, false);
  mark(gone.bank, gone.write);
  (gone.previous == kNoEntry ? list.first : entries_[gone.previous].next) = gone.next;
  (gone.next == kNoEntry ? list.last : entries_[gone.next].previous) = gone.previous;
  if (list.first == kNoEntry) waiting_[gone.write] &= ~(std::uint64_t{1} << gone.bank);
  --size_[gone.write];
}

void DramQueue::remove(int index) {
  DramBank& bank = banks_[entries_[index].bank];
  if (bank.active == index) {
    bank.active = kNoEntry;
    active_ &= ~(std::uint64_t{1} << entries_[index].bank);
  } else {
    unlink(index);
  }
  release(index);
}

void DramQueue::make_active(int index) {
  unlink(index);
  const int bank = entries_[index].bank;
  SIM_CHECK(banks_[bank].active == kNoEntry, "two active requests in DRAM bank {}", bank);
  banks_[bank].active = index;
  active_ |= std::uint64_t{1} << bank;
}

void DramQueue::open(int index, Address row) {
  DramBank& bank = banks_[index];
  bank.open_row = row;
  open_ |= std::uint64_t{1} << index;
  for (DramBankList& list : bank.lists) {
    list.hit = find(list.first, row, true);
    list.miss = find(list.first, row, false);
  }
  mark(index, false);
  mark(index, true);
}

void DramQueue::close(int index) {
  DramBank& bank = banks_[index];
  bank.open_row = kNoRow;
  open_ &= ~(std::uint64_t{1} << index);
  for (DramBankList& list : bank.lists) {
    list.hit = kNoEntry;
    list.miss = list.first;
  }
  mark(index, false);
  mark(index, true);
}

void DramQueue::close_all() {
  for (std::uint64_t set = open_; set != 0; set &= set - 1) close(std::countr_zero(set));
}

}  // namespace tilewright
