// The way from the cores and caches of a chip to its DRAM, whoever models it.
#pragma once

#include "sim/machine/port/memory_request.h"

namespace tilewright {

class MemoryPath {
 public:
  virtual ~MemoryPath() = default;
  // `client` is answered once, with the request as given.
  virtual void send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) = 0;
};

}  // namespace tilewright
