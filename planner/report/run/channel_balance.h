// Whether a program's addresses and a chip's interleaving work against each other: rows of a tensor that lie a power of
// two apart may all begin in the same DRAM channels.
#pragma once

#include <optional>
#include <string>

#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

// How many times its fair share of DRAM requests the busiest channel gets, of what may be in flight together: the
// requests of every core are cut into blocks of outstanding_requests, and the blocks of equal number are looked at
// together. 1: evenly spread; the number of channels: one serves all. Mean over the blocks by requests; 1 without any.
// `dram` says where addresses lie; the program and its requests are those of `hardware`.
double channel_imbalance(const Program& program, const Hardware& hardware, const DramSpec& dram);

struct ChannelAdvice {
  double imbalance = 1, changed_imbalance = 1;
  std::string change;  // as --what-if takes it
};
// The change of the interleaving under which this program's requests spread best. Empty when none spreads them much
// better than the chip does.
std::optional<ChannelAdvice> advice_on_channels(const Program& program, const Hardware& hardware);

}  // namespace tilewright
