// Whether a run still gets somewhere: the modules of a chip that wake each other for ever would run for ever.
#pragma once

#include <cstdint>

#include "sim/base/units.h"

namespace tilewright {

class ProgressWatch {
 public:
  // Activations of modules without anything done. A barrier of all cores of a large chip takes some for each core.
  static constexpr std::int64_t kMostIdleActivations = 1 << 22;

  // `done` differs from that of the call before when anything was done in between: bytes moved, sums computed, an
  // instruction completed. False when nothing was for too many activations.
  bool goes_on(std::int64_t activations, std::int64_t done) {
    if (done != done_) {
      done_ = done;
      since_ = activations;
    }
    return activations - since_ <= kMostIdleActivations;
  }

 private:
  std::int64_t done_ = -1, since_ = 0;
};

}  // namespace tilewright
