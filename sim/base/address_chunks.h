// Ranges of addresses cut where memory is.
#pragma once

#include <algorithm>

#include "sim/base/units.h"

namespace tilewright {

// Calls `piece(address, bytes)` for the pieces of `bytes` bytes from `address` on, cut at the multiples of `chunk`, in
// ascending order.
template <typename Piece>
void for_each_chunk(Address address, Bytes bytes, Bytes chunk, Piece&& piece) {
  const Address end = address + bytes;
  while (address < end) {
    const Bytes size = std::min(end - address, chunk - address % chunk);
    piece(address, size);
    address += size;
  }
}

}  // namespace tilewright
