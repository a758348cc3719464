// How the work of a copy is spread: boxes cut into tiles, tiles distributed over the cores.
#pragma once

#include "planner/emit/copy/copy_job.h"
#include "planner/emit/copy/copy_tile.h"
#include "sim/hw/config/hardware.h"

namespace tilewright {

// What a transfer of this chip costs, in elements of `type`; room and fair size are the caller's.
TileRules tile_rules(const Hardware& hardware, DataType type, Bytes good_run);

// Tiles of `boxes` by core, in the order in which they move. Every tile goes to a core next to the region of DRAM that
// it writes. UserError when buffer A has no room for constants().copy_areas elements.
std::vector<std::vector<StagedTile>> distribute(const Hardware& hardware, const CopyJob& job, const CopyTiling& tiling,
                                                const std::vector<CopyBox>& boxes);

}  // namespace tilewright
