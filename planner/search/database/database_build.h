// Builds a tiling database: every initial shape's search and boundary search, measured in worker processes. What was
// measured is written as it arrives, so a build that was killed goes on where it stood; the records depend on the
// shapes and the options alone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "planner/measure/worker_pool.h"
#include "planner/search/database/boundary_search.h"
#include "planner/search/database/tiling_database.h"

namespace tilewright {

struct BuildSummary {
  std::int64_t shapes = 0, entered = 0, below_threshold = 0, not_tiled = 0;
  std::int64_t boundary = 0;              // records
  std::int64_t measured = 0, reused = 0;  // queries answered now, and found answered
  std::vector<std::string> failed;        // queries that ended a worker
};

// Called after each answer: shapes finished, of how many.
using BuildProgress = std::function<void(std::int64_t done, std::int64_t total)>;

// UserError when the database was built with other options on this chip.
BuildSummary build_tilings(TilingDatabase& database, const Hardware& hardware, const std::vector<OperatorShape>& shapes,
                           Objective objective, const BuildOptions& options, int jobs,
                           const BuildProgress& progress = {});

// Shapes that a build with these options would still measure something for.
std::int64_t open_shapes(const TilingDatabase& database, const Hardware& hardware,
                         const std::vector<OperatorShape>& shapes, Objective objective, const BuildOptions& options);

std::vector<OperatorShape> slice_of(const std::vector<OperatorShape>& shapes, const Slice& slice);

// One text per shape and line, '#' comments; UserError naming file and line.
std::vector<OperatorShape> read_shapes(const std::string& path);

}  // namespace tilewright
