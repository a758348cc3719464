// Numbered places for things in flight: the number travels as a tag, the place is reused after release.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tilewright {

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
