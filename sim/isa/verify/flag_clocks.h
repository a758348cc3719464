// What a wait on a flag proves. A flag counts; with several producers a wait only proves those signals that it cannot
// have done without, whichever arrived first.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "sim/isa/verify/clocks.h"

namespace tilewright {

class FlagClocks {
 public:
  // False when this signal could have been taken by an earlier wait in place of another producer's: then what that wait
  // seemed to prove does not hold.
  bool signal(const Stamp& stamp, const std::shared_ptr<const ChipClock>& after);
  // Takes `count`; the clocks of the signals that surely arrived are joined into `known`.
  void wait(const Stamp& stamp, int count, ChipClock& known);

 private:
  struct Producer {
    std::int64_t arrived = 0, proven = 0;
    std::deque<std::shared_ptr<const ChipClock>> pending;  // those after the proven ones
  };
  std::map<int, Producer> producers_;  // by core * 4 + stream
  std::int64_t arrived_ = 0, taken_ = 0;
  Stamp last_wait_;
};

}  // namespace tilewright
