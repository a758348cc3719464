// Broadcast: every core ends with the same bytes of DRAM in its buffer, read there by all, or once and handed on.
#pragma once

#include <vector>

#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

enum class Broadcast {
  kLoads,   // every core reads everything
  kChain,   // the first reads, each hands on to the next
  kTree,    // the first reads, each hands on to its children in a binary tree
  kRotate,  // each reads its share, then the shares go round the ring
};

struct BroadcastJob {
  Broadcast algorithm = Broadcast::kLoads;
  Bytes bytes = 0;
  std::vector<int> cores;     // in the order of chain and ring; the first is the root of the tree
  Bytes piece_bytes = 16384;  // handed on at a time
  bool keep = false;          // every core stores what it got as its part of segment "out"
};

// Segment "in" holds the bytes; they end in buffer A of every core. All begin together after a barrier. Operators:
// "start", "broadcast", "store". UserError for what does not fit into the buffer, and for cores that the chip does not
// have, or fewer than two.
Program broadcast_program(const Hardware& hardware, const BroadcastJob& job);

}  // namespace tilewright
