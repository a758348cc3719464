// Worker processes that measure points of a study. A process can elaborate one chip, so every point gets a fresh one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/measure/worker_pool.h"
#include "planner/search/study/shared_runs.h"
#include "planner/search/study/study_result.h"
#include "planner/search/tiling/predictions.h"

namespace tilewright {

// Workloads [first, last) of a point.
struct PointQuery {
  std::int64_t point = 0;
  std::size_t first = 0, last = 0;
};

// What is measured of `points` in a round.
std::vector<PointQuery> queries_of(const Study& study, int round, const std::vector<std::int64_t>& points);

// What a point needs not do again.
struct SharedWork {
  SharedRuns runs;
  Predictions predictions;
};

class PointPool {
 public:
  // UserError for workload files that cannot be imported. `study` outlives the pool; `limits`: of a point.
  PointPool(const Study& study, int jobs, const WorkerLimits& limits = {});

  // Calls `done` as each point arrives, with the workloads of its query. A point whose worker dies is measured once
  // more; the second time, or at a limit, it arrives as kFailed with the reason. Throws Stopped (sim/base/stop.h).
  void measure(const std::vector<PointQuery>& queries, const std::function<void(PointResult)>& done);

 private:
  WorkerPool::Handler handler();
  PointResult taken(const std::string& answer);

  const Study& study_;
  std::vector<Graph> graphs_;
  SharedWork shared_;  // of all points that have arrived; a worker has that from before it was started
  WorkerPool pool_;
};

}  // namespace tilewright
