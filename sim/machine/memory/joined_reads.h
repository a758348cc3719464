// Reads under way that others of the same bytes join: one answer serves them all. Nothing is kept once it has come.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/base/containers.h"
#include "sim/machine/port/memory_port.h"

namespace tilewright {

// `Waiting`: what its user knows of those that wait for a read's answer.
template <typename Waiting>
class JoinedReads {
 public:
  // Remembers at most `entries` reads; further ones cannot be joined.
  explicit JoinedReads(std::int64_t entries) : entries_(entries) {}

  // The read of exactly these bytes that can be joined, if there is one.
  std::optional<std::uint32_t> find(const MemoryRequest& read) const {
    const auto known = place_of_.find(read.address);
    if (known == place_of_.end() || reads_[known->second].bytes != read.bytes) return std::nullopt;
    return known->second;
  }
  // A read that others can join, or nothing where there is no room for it or another of its address.
  std::optional<std::uint32_t> open(const MemoryRequest& read, Waiting waiting) {
    if (reads_.used() >= entries_ || place_of_.contains(read.address)) return std::nullopt;
    const std::uint32_t place = reads_.acquire({read.address, read.bytes, true, std::move(waiting)});
    place_of_.emplace(read.address, place);
    return place;
  }
  Waiting& operator[](std::uint32_t place) { return reads_[place].waiting; }
  // Nobody joins it any more.
  void shut(std::uint32_t place) {
    if (!reads_[place].open) return;
    reads_[place].open = false;
    place_of_.erase(reads_[place].address);
  }
  // Everybody has been answered.
  void release(std::uint32_t place) {
    shut(place);
    reads_.release(place);
  }
  int used() const { return reads_.used(); }

 private:
  struct Read {
    Address address = 0;
    std::int32_t bytes = 0;
    bool open = true;
    Waiting waiting;
  };

  std::int64_t entries_;
  SlotTable<Read> reads_;
  std::unordered_map<Address, std::uint32_t> place_of_;  // looked up only, never visited
};

}  // namespace tilewright
