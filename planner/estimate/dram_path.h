// What stands between a core and DRAM, for predictions of a part's time: DRAM itself, the flits of the network each
// way, the core's buffer port and the requests of its DMA engine. Short runs cost each of them something else.
#pragma once

#include "sim/hw/config/hardware.h"

namespace tilewright {

// Core clocks that transfers keep each of them busy.
struct TransferTime {
  double dram = 0, to_memory = 0, from_memory = 0, port = 0, load_lane = 0, store_lane = 0;

  TransferTime& operator+=(const TransferTime& other);
  double longest() const;
};

// Bytes that lie behind each other in memory; runs begin `pitch` bytes, or multiples of `bytes`, apart.
struct DramRun {
  Bytes bytes, pitch;
};

class DramPath {
 public:
  // The share of one of `cores` cores that load and store at the same time.
  DramPath(const Hardware& hardware, int cores);

  // `bytes` in `transfers` instructions, in runs for which DRAM gives the share `efficiency` of its bandwidth.
  TransferTime loaded(double bytes, double transfers, DramRun run, double efficiency) const;
  TransferTime stored(double bytes, double transfers, DramRun run, double efficiency) const;

 private:
  struct Packets {
    double requests, flits;  // per byte; flits: of the packets that carry data
  };
  Packets packets_of(DramRun run) const;
  TransferTime moved(double bytes, double efficiency) const;
  // Of a lane of the DMA engine: the descriptors of its transfers and their requests, one after the other.
  double lane(double transfers, double requests) const { return transfers * setup_ + requests / requests_; }
  double flits_for(Bytes payload) const;

  const NetworkSpec& network_;
  Bytes request_;       // longest; requests are cut at its multiples
  double dram_, port_;  // bytes per core clock
  double flits_;        // per core clock, each way; packets where there are no routers
  double requests_;     // per core clock
  double setup_;        // core clocks per transfer
};

}  // namespace tilewright
