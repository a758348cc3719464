// What the chip needs of a DRAM channel, whoever models it.
#pragma once

#include <string>

#include "sim/machine/port/memory_path.h"

namespace tilewright {

class DramPort : public MemoryServer {
 public:
  virtual void set_client(MemoryClient* client) = 0;
  // Forgets all requests; the next program starts at the current simulation time.
  virtual void reset() = 0;
  // Ends a program: executes what fell due up to now (refreshes of an idle channel) and the posted writes still queued,
  // so that time, statistics and energy cover them. Returns when the memory was quiet, from reset.
  virtual Picoseconds settle() = 0;
  virtual std::string waiting_for() const = 0;  // empty when nothing is pending
};

}  // namespace tilewright
