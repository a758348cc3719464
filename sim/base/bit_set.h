// A set of small numbers, visited in ascending order.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace tilewright {

class BitSet {
 public:
  explicit BitSet(int members = 0) : words_((members + 63) / 64) {}

  void insert(int member) { words_[member >> 6] |= bit(member); }
  void erase(int member) { words_[member >> 6] &= ~bit(member); }
  void assign(int member, bool value) {
    std::uint64_t& word = words_[member >> 6];
    word = (word & ~bit(member)) | (std::uint64_t{value} << (member & 63));
  }
  bool contains(int member) const { return (words_[member >> 6] & bit(member)) != 0; }
  bool empty() const {
    std::uint64_t all = 0;
    for (const std::uint64_t word : words_) all |= word;
    return all == 0;
  }
  // The set may change during the visit; a word of 64 members is looked at as it was when its first one was visited.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t word = 0; word < words_.size(); ++word)
      for (std::uint64_t bits = words_[word]; bits != 0; bits &= bits - 1)
        visit(static_cast<int>(word * 64) + std::countr_zero(bits));
  }

 private:
  static std::uint64_t bit(int member) { return std::uint64_t{1} << (member & 63); }

  std::vector<std::uint64_t> words_;
};

}  // namespace tilewright
