// A first-in-first-out queue that keeps its memory, so queues on hot paths do not allocate once warm.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sim/base/error.h"

namespace tilewright {

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

}  // namespace tilewright
