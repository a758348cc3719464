// The requests inside one controller: a fixed pool of entries, and per bank the two queues (reads, writes) in order of
// arrival with the oldest row hit and the oldest other request always at hand.
#pragma once

#include <array>
#include <bit>
#include <vector>

#include "sim/base/units.h"

namespace tilewright {

inline constexpr int kNoEntry = -1;
inline constexpr Address kNoRow = -1;

struct DramEntry {
  std::int64_t order = 0;  // of acceptance: smaller is older
  Cycles arrival = 0, accepted = 0;
  std::int64_t bursts_before = 0;  // done when it was accepted
  Address row = 0;
  int bursts = 0, bursts_left = 0;
  std::uint32_t id = 0;
  std::uint16_t op = 0;
  std::int16_t bank = 0;
  bool write = false;
  bool served = false;                       // a command was issued for it: hit, miss or conflict has been counted
  int previous = kNoEntry, next = kNoEntry;  // in its bank's list
};

// Requests of one bank in one queue. With the row closed every request is a miss.
struct DramBankList {
  int first = kNoEntry, last = kNoEntry;
  int hit = kNoEntry, miss = kNoEntry;  // oldest request of the open row, oldest request of another row
};

struct DramBank {
  Address open_row = kNoRow;
  int active = kNoEntry;  // the request this row was opened for, while it still waits for its last column command
  std::array<DramBankList, 2> lists;  // indexed by DramEntry::write
};

// Plain value: copy it to save, assign it to restore.
class DramQueue {
 public:
  DramQueue(int banks, int entries);

  const DramEntry& entry(int index) const { return entries_[index]; }
  DramEntry& entry(int index) { return entries_[index]; }
  const DramBank& bank(int index) const { return banks_[index]; }
  // Bit b is set when bank b has requests of this direction in its list, or holds an active request.
  std::uint64_t waiting_banks(bool write) const { return waiting_[write]; }
  std::uint64_t active_banks() const { return active_; }
  // Banks with a request of this direction in their list that hits the open row; that needs another row.
  std::uint64_t hit_banks(bool write) const { return hits_[write]; }
  std::uint64_t miss_banks(bool write) const { return misses_[write]; }
  std::uint64_t open_banks() const { return open_; }
  int size(bool write) const { return size_[write]; }  // requests in the lists; active ones are not counted
  bool empty() const { return size_[0] + size_[1] == 0 && active_ == 0; }

  // Returns whether it is its bank's oldest hit, or oldest other request, of its direction.
  bool insert(const DramEntry& entry);
  // Takes a finished request out, from its list or from the active place of its bank.
  void remove(int index);
  void open(int bank, Address row);
  void close(int bank);
  void close_all();
  // The request leaves its list: the row of its bank is being opened for it.
  void make_active(int index);

 private:
  void unlink(int index);
  void release(int index);
  int find(int from, Address open_row, bool hit) const;
  void mark(int bank, bool write);

  std::vector<DramEntry> entries_;
  std::vector<DramBank> banks_;
  int free_ = kNoEntry;  // chain through DramEntry::next
  std::array<std::uint64_t, 2> waiting_{}, hits_{}, misses_{};
  std::uint64_t active_ = 0, open_ = 0;
  std::array<int, 2> size_{};
};

}  // namespace tilewright
