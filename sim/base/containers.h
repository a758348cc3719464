// Containers for the hot paths of the models: once warm, none of them allocates.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/base/error.h"

namespace tilewright {

// A set of small numbers, visited in ascending order.
class BitSet {
 public:
  explicit BitSet(int members = 0) : words_((members + 63) / 64) {}

  void insert(int member) { assign(member, true); }
  void erase(int member) { assign(member, false); }
  void assign(int member, bool value) {
    std::uint64_t& word = words_[member >> 6];
    size_ += static_cast<int>(value) - static_cast<int>((word & bit(member)) != 0);
    word = (word & ~bit(member)) | (std::uint64_t{value} << (member & 63));
  }
  bool contains(int member) const { return (words_[member >> 6] & bit(member)) != 0; }
  bool empty() const { return size_ == 0; }
  int size() const { return size_; }
  // Of a set that is not empty.
  int first() const {
    std::size_t word = 0;
    while (words_[word] == 0) ++word;
    return static_cast<int>(word * 64) + std::countr_zero(words_[word]);
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
  int size_ = 0;
};

// A first-in-first-out queue that keeps its memory, whatever passed through it.
template <typename T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }
  // `index` 0 is the oldest.
  T& operator[](std::size_t index) { return slots_[(first_ + index) & (slots_.size() - 1)]; }
  const T& operator[](std::size_t index) const { return slots_[(first_ + index) & (slots_.size() - 1)]; }

  void push_back(T value) {
    if (size_ == slots_.size()) grow();
    ++size_;
    back() = std::move(value);
  }
  void pop_front() {
    SIM_CHECK(size_ > 0, "pop from an empty queue");
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;
  }
  void clear() { first_ = size_ = 0; }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 8 : slots_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    slots_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> slots_;  // a power of two, or empty
  std::size_t first_ = 0, size_ = 0;
};

// Numbered places for things in flight: the number travels as a tag, the place is reused after release.
template <typename T>
class SlotTable {
 public:
  std::uint32_t acquire(T value) {
    ++used_;
    if (free_.empty()) {
      places_.push_back(std::move(value));
      return static_cast<std::uint32_t>(places_.size() - 1);
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    places_[place] = std::move(value);
    return place;
  }
  void release(std::uint32_t place) {
    free_.push_back(place);
    --used_;
  }
  T& operator[](std::uint32_t place) { return places_[place]; }
  const T& operator[](std::uint32_t place) const { return places_[place]; }
  int used() const { return used_; }
  // Numbers are handed out again from 0, whatever was left in flight.
  void clear() {
    places_.clear();
    free_.clear();
    used_ = 0;
  }

 private:
  std::vector<T> places_;
  std::vector<std::uint32_t> free_;
  int used_ = 0;
};

}  // namespace tilewright
