// An on-core memory as the units see it: capacity for checks, a port that the DMA engine shares, bytes counted per
// operator.
#pragma once

#include <algorithm>

#include "sim/base/event.h"
#include "sim/base/units.h"

namespace tilewright {

// The single port between the DMA engine and the buffers: transfers pass one after the other.
class BufferPort {
 public:
  BufferPort(Bytes bytes_per_cycle, Clock clock) : bytes_per_cycle_(bytes_per_cycle), clock_(clock) {}

  void reset() { state_ = State{}; }
  // Passes `bytes` as soon as the port is free, at `now` at the earliest. Returns when the last byte has passed.
  Picoseconds pass(Bytes bytes, Picoseconds now) {
    const Picoseconds duration = (bytes * clock_.period_ps + bytes_per_cycle_ - 1) / bytes_per_cycle_;
    state_.free_at = std::max(state_.free_at, now) + duration;
    state_.busy += duration;
    return state_.free_at;
  }
  Picoseconds free_at() const { return state_.free_at; }
  Picoseconds busy() const { return state_.busy; }

 private:
  struct State {
    Picoseconds free_at = 0, busy = 0;
  };
  const Bytes bytes_per_cycle_;
  const Clock clock_;
  State state_;
};

}  // namespace tilewright
