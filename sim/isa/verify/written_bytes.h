// Which bytes of one memory have been written: a bit for each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/isa/operand.h"

namespace tilewright {

class WrittenBytes {
 public:
  // A memory of `bytes` from `low`.
  WrittenBytes(Address low, Bytes bytes) : low_(low), words_(static_cast<std::size_t>(ceil_div<Bytes>(bytes, 64))) {}

  void add(const Footprint& footprint);
  // The first byte of the footprint, in the order of its runs, that was not added.
  std::optional<Address> first_missing(const Footprint& footprint) const;

 private:
  std::optional<Address> first_missing(Address first, Bytes bytes) const;

  Address low_;
  std::vector<std::uint64_t> words_;
};

}  // namespace tilewright
