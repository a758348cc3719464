// What share of its bandwidth DRAM gives to boxes loaded in short runs: for the planner's predictions.
#pragma once

#include "sim/hw/dram_spec.h"

namespace tilewright {

// Of the channels that runs of `run` bytes visit: every visit costs about the time of 0.7 bursts for the row it opens
// (measured with runs of one to four bursts on the chip of ONNXim).
double visit_efficiency(const DramSpec& dram, Bytes run);

// Share of a region's channels in which runs lie whose beginnings are `pitch` bytes apart. Without a hash, those of a
// pitch that is a multiple of all channels' grains lie in few channels: 256 bytes of every 2 KiB in one of eight.
double channel_share(const DramSpec& dram, Bytes run, Bytes pitch);

}  // namespace tilewright
