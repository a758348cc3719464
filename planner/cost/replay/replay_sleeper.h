// What sleeps until something may have become possible.
#pragma once

#include "sim/base/units.h"

namespace tilewright {

class ReplaySleeper {
 public:
  virtual ~ReplaySleeper() = default;
  virtual void wake_at(Picoseconds time) = 0;
};

}  // namespace tilewright
