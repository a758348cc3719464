// The command bus that the pseudo channels of a channel share: one command per clock, or one of a row and one of a
// column where the bus is dual. Of those that could go in one clock they take turns (Ramulator 2's controller of a
// whole channel takes the oldest).
#pragma once

#include <span>

#include "sim/machine/dram/dram_controller.h"

namespace tilewright {

class DramCommandBus {
 public:
  // Executes all that falls due for `sharers`, always the same ones, up to and including clock `now`.
  void advance(std::span<DramController> sharers, Cycles now);
  // From clock `now` on DramController::drain() of all of them: the latest end of data.
  Cycles drain(std::span<DramController> sharers, Cycles now);

 private:
  void step(std::span<DramController> sharers, Cycles clock);

  std::size_t first_ = 0;  // who goes first
};

}  // namespace tilewright
