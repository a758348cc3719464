// How a part of the chip asks for time: whoever owns the calendar (the SystemC kernel, a queue of events, a test)
// implements it and calls the part's evaluate() when the time has come.
#pragma once

#include "sim/base/units.h"

namespace tilewright {

class Waker {
 public:
  virtual ~Waker() = default;
  // evaluate() is to run at `time`: now or earlier, as soon as what runs now has ended; kNever: no wish. Of several
  // calls the earliest holds, so evaluate() itself asks again for what comes later.
  virtual void wake_at(Picoseconds time) = 0;
  void wake() { wake_at(0); }
};

}  // namespace tilewright
