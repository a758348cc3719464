// What the makers of a tiling database ask worker processes: the best tiling of a shape, or the cost of a given one.
// Queries and answers are texts, so that they can be kept; an answer depends on the query and the chip alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/graph/operator_shape.h"
#include "planner/ir/tiling_point.h"
#include "planner/measure/measure.h"
#include "planner/measure/worker_pool.h"

namespace tilewright {

struct FoundTiling {
  TilingPoint point;
  Cost cost;
  Cycles bound_cycles = 0;  // roofline, rounded down
};

// Of a search with at most `budget` measurements besides the planner's own tiling: the best point, which other shapes
// can take over. Refused where no point can say the best. `seeds`: points that were best somewhere else, measured first
// (planner/search/tiling/seeded_start.h).
std::string search_query(const OperatorShape& shape, Objective objective, std::int64_t budget,
                         const std::vector<TilingPoint>& seeds = {});
// The least cost that such a search finds, whether a point can say it or not.
std::string cheapest_query(const OperatorShape& shape, Objective objective, std::int64_t budget);
std::string measure_query(const OperatorShape& shape, const TilingPoint& point);

FoundTiling found_tiling(const std::string& answer);
Cost measured_cost(const std::string& answer);

// The worker's side: answers both on a chip of its own. A tiling that the chip refuses is a refusal (WorkerPool).
WorkerPool::MakeHandler tiling_worker(const Hardware& hardware);

// How an answer is kept: refusals are results too; nothing for a crash, which says nothing about the query.
std::optional<std::string> text_to_keep(const WorkerPool::Answer& answer);
bool is_refusal(const std::string& kept);

}  // namespace tilewright
