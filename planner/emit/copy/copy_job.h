// Copies as jobs for the chip: the direct way in one pass, the usual way over plain layouts, and how the work of each
// is spread over the cores.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "planner/constants/constants.h"
#include "planner/emit/copy/copy_tile.h"
#include "planner/emit/copy/plan_copy.h"
#include "planner/view/view_trace.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

// A tensor of a copy job. In DRAM it is spread evenly over the regions of the chip.
struct CopyTensor {
  std::string name;
  SegmentKind kind = SegmentKind::kHidden;
  Layout layout;
};

enum class CopyDistribution {
  kRoundRobin,  // neighbouring tiles of the output to different cores
  kRanges,      // to each core a range of the output
};

// How a pass is cut and distributed. Which channels and banks of DRAM are busy together follows from it, and by that
// which one is faster; only a run tells.
struct CopyTiling {
  CopyDistribution distribution = CopyDistribution::kRanges;
  Bytes good_run = constants().copy_long_run_bytes;  // worth having on both sides of a tile
};
// Those that are tried.
inline std::array<CopyTiling, 4> copy_tilings() {
  const Bytes long_run = constants().copy_long_run_bytes, short_run = constants().copy_short_run_bytes;
  return {{{CopyDistribution::kRanges, long_run},
           {CopyDistribution::kRanges, short_run},
           {CopyDistribution::kRoundRobin, long_run},
           {CopyDistribution::kRoundRobin, short_run}}};
}

// One copy between two of the tensors, by index.
struct CopyPass {
  std::string name;
  int from = 0, to = 0;
  View from_view, to_view;
  CopyTiling tiling{};
  bool zero_padding = false;  // of `to`, as well

  bool moves_as(const CopyPass& other) const {
    return from == other.from && to == other.to && from_view == other.from_view && to_view == other.to_view;
  }
};

// Copies one after the other; each starts when the one before has ended on every core.
struct CopyJob {
  static constexpr int kInput = 0, kOutput = 1;  // the tensors of the copy itself, others are in between

  std::string name;
  DataType type = DataType::kBf16;
  std::vector<CopyTensor> tensors;
  std::vector<CopyPass> passes;
};

CopyJob direct_copy(const TracedCopy& copy);

// Reorder the input to a plain layout, copy in plain, reorder to the output's layout; sides that are plain already need
// no pass. An output that the copy does not cover is reordered to plain first, so that the rest of it is kept.
CopyJob copy_via_plain(const TracedCopy& copy);

// All ways to make the copy, the direct one first; those that would be the same passes once. Beside copy_via_plain():
// the input reordered to plain and the rest at once, and what the input's view shows packed into a plain tensor and
// that copied into the output.
std::vector<CopyJob> copy_ways(const TracedCopy& copy);

// What a transfer of this chip costs, in elements of `type`; room and fair size are the caller's.
TileRules tile_rules(const Hardware& hardware, DataType type, Bytes good_run);

// Tiles of `boxes` by core, in the order in which they move. Every tile goes to a core next to the region of DRAM that
// it writes. UserError when buffer A has no room for constants().copy_areas elements.
std::vector<std::vector<StagedTile>> distribute(const Hardware& hardware, const CopyJob& job, const CopyTiling& tiling,
                                                const std::vector<CopyBox>& boxes);

}  // namespace tilewright
