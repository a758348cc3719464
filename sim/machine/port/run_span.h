// From when to when a program ran.
#pragma once

#include "sim/base/units.h"

namespace tilewright {

struct RunSpan {
  Picoseconds launch = 0, end = 0;  // end: the last completion
  Picoseconds length() const { return end - launch; }
};

}  // namespace tilewright
