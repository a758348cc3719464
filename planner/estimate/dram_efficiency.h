// What share of its bandwidth DRAM gives to boxes loaded in short runs: for the planner's predictions.
#pragma once

#include "planner/constants/constants.h"
#include "sim/hw/config/dram_spec.h"

namespace tilewright {

// Of the channels that runs of `run` bytes visit: every visit costs the time of constants().row_visit_bursts for the
// row it opens, and what is shorter than a burst moves all of it.
double visit_efficiency(const DramSpec& dram, Bytes run);

// Share of a region's channels in which runs lie whose beginnings are `pitch` bytes apart. Without a hash, those of a
// pitch that is a multiple of all channels' interleave chunks lie in few channels: 256 bytes of every 2 KiB in one of
// eight.
double channel_share(const DramSpec& dram, Bytes run, Bytes pitch);

// Of the whole: both together.
inline double run_efficiency(const DramSpec& dram, Bytes run, Bytes pitch) {
  return visit_efficiency(dram, run) * channel_share(dram, run, pitch);
}

}  // namespace tilewright
