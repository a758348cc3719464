// What waits at the port of a memory that takes only so many requests before it has answered one: a buffer per virtual
// channel. While it is full the router gets no credits, so that packets wait in the routers and at their sources.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/containers.h"
#include "sim/hw/config/network_spec.h"

namespace tilewright {

class HeldPackets {
 public:
  struct Taken {
    std::uint32_t packet = 0;
    int vc = 0, credits = 0;  // that its router gets now
  };

  HeldPackets(const MemoryPortSpec& spec, int virtual_channels);

  // Flits have set out by virtual channel `vc`: how many of their credits the router gets when they are here.
  int set_out(int vc, int flits);
  void arrived(int vc, std::uint32_t packet, int flits);
  // One of the requests taken: its place is free again.
  void answered() { ++places_; }
  // The next packet, if there is one and a place for it.
  std::optional<Taken> take();

 private:
  struct Packet {
    std::uint32_t number = 0;
    int flits = 0;
    std::int64_t order = 0;  // of arrival
  };
  struct Buffer {
    Ring<Packet> packets;
    int flits = 0;  // here or on their way, whose credits the router gets
    int owed = 0;   // and whose it does not get yet
  };

  Buffer* next();

  MemoryPortSpec spec_;
  int places_;
  std::int64_t order_ = 0;
  std::vector<Buffer> buffers_;
};

}  // namespace tilewright
