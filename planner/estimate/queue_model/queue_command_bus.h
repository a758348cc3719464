// The command bus that the pseudo channels of a DRAM channel share, in the queue model: one command per clock, and of
// two that want one they take turns.
#pragma once

#include <algorithm>

#include "sim/base/units.h"

namespace tilewright {

class QueueCommandBus {
 public:
  // When a command of `sharer` can go that could go at `now`: behind those of the others, and behind one of who waits.
  Cycles ask(const void* sharer, Cycles now) {
    if (last_ == sharer && waiting_ != nullptr && free_ == now) {
      waiting_ = nullptr;
      return now + 1;
    }
    if (free_ > now && last_ != sharer) waiting_ = sharer;
    return std::max(now, free_);
  }
  // Returns the clock of the first of these commands.
  Cycles take(const void* sharer, Cycles now, int commands) {
    const Cycles from = std::max(free_, now);
    free_ = from + commands;
    last_ = sharer;
    if (waiting_ == sharer) waiting_ = nullptr;
    return from;
  }

 private:
  Cycles free_ = 0;                // first clock without a command
  const void* last_ = nullptr;     // who had it last
  const void* waiting_ = nullptr;  // who found it taken
};

}  // namespace tilewright
