// A calendar of cycles: what is due in the next few cycles, in a ring of buckets. No bucket gives its memory back, so a
// running network allocates nothing.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/units.h"

namespace tilewright {

// Which cycles of the next `horizon` have something due.
class CycleMarks {
 public:
  explicit CycleMarks(int horizon = 63)
      : size_(std::bit_ceil(static_cast<unsigned>(horizon < 63 ? 64 : horizon + 1))), words_(size_ / 64) {}

  unsigned slot(Cycles cycle) const { return static_cast<unsigned>(cycle) & (size_ - 1); }
  unsigned size() const { return size_; }
  void mark(Cycles cycle) { words_[slot(cycle) / 64] |= std::uint64_t{1} << (slot(cycle) % 64); }
  void clear(Cycles cycle) { words_[slot(cycle) / 64] &= ~(std::uint64_t{1} << (slot(cycle) % 64)); }

  // First marked cycle after `now`, or kNeverCycle.
  Cycles next_after(Cycles now) const {
    const unsigned start = slot(now + 1);
    const std::size_t count = words_.size();
    for (std::size_t i = 0; i <= count; ++i) {
      const std::size_t index = (start / 64 + i) % count;
      std::uint64_t word = words_[index];
      if (i == 0) word &= ~std::uint64_t{0} << (start % 64);
      if (i == count) word &= (std::uint64_t{1} << (start % 64)) - 1;
      if (word == 0) continue;
      const unsigned found = static_cast<unsigned>(index * 64) + static_cast<unsigned>(std::countr_zero(word));
      return now + 1 + ((found - start) & (size_ - 1));
    }
    return kNeverCycle;
  }

 private:
  unsigned size_;
  std::vector<std::uint64_t> words_;
};

// One kind of event, by cycle. The owner keeps `due` within the horizon of its marks.
template <typename Event>
class CycleWheel {
 public:
  explicit CycleWheel(unsigned size = 64) : buckets_(size) {}
  void push(unsigned slot, const Event& event) { buckets_[slot].push_back(event); }
  std::vector<Event>& at(unsigned slot) { return buckets_[slot]; }

 private:
  std::vector<std::vector<Event>> buckets_;
};

// A set of small numbers per cycle, visited in ascending order.
class CycleSets {
 public:
  explicit CycleSets(unsigned slots = 64, int members = 0) : words_((members + 63) / 64), bits_(slots * words_) {}
  void insert(unsigned slot, int member) {
    bits_[slot * words_ + static_cast<unsigned>(member) / 64] |= std::uint64_t{1} << (member % 64);
  }
  // Calls visit(member) for each and empties the set; members inserted meanwhile are visited if they come later.
  template <typename Visit>
  void drain(unsigned slot, Visit&& visit) {
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t& bits = bits_[slot * words_ + word];
      while (bits != 0) {
        const int bit = std::countr_zero(bits);
        bits &= bits - 1;
        visit(static_cast<int>(word * 64) + bit);
      }
    }
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace tilewright
