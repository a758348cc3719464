// The three on-core memories by their space: every access counts in the buffer and, per operator, in the meter.
#pragma once

#include "sim/base/event.h"
#include "sim/isa/instruction.h"
#include "sim/machine/core/buffer.h"

namespace tilewright {

struct CoreBuffers {
  Buffer &a, &b, &accumulator;
  EventMeter& meter;

  // InternalError for a space that is no buffer.
  Buffer& of(Space space) const;
  void read(Space space, int op, Bytes bytes) const;
  void write(Space space, int op, Bytes bytes) const;
};

}  // namespace tilewright
