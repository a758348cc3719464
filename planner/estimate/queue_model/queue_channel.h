// A virtual channel at an input of a router, as a queue of packets: it takes one while a flit of it has room, and hands
// on one after the other, each from its first flit to its last.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/base/containers.h"
#include "sim/base/units.h"

namespace tilewright {

class QueueChannel {
 public:
  bool empty() const { return packets_.empty(); }
  std::uint32_t front() const { return packets_.front(); }
  // From when on the packet in front can leave at the earliest: behind the one before it.
  Picoseconds front_from() const { return front_from_; }

  void push(std::uint32_t packet, int flits) {
    packets_.push_back(packet);
    flits_ += flits;
  }
  // The packet in front leaves from `start` on, and the one behind it `gap` after its last flit.
  void pop(int flits, Picoseconds start, Picoseconds flit_time, Picoseconds gap) {
    packets_.pop_front();
    flits_ -= flits;
    gone_ = start + flits * flit_time;
    front_from_ = gone_ + gap;
  }
  // When fewer than `capacity` flits are held, by what leaves already; kNever: when more have.
  Picoseconds room_from(int capacity, Picoseconds flit_time) const {
    return flits_ < capacity ? gone_ - (capacity - 1 - flits_) * flit_time : kNever;
  }

 private:
  Ring<std::uint32_t> packets_;
  int flits_ = 0;         // of these
  Picoseconds gone_ = 0;  // the last flit of the last packet that left
  Picoseconds front_from_ = 0;
};

}  // namespace tilewright
