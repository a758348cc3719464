// One point of a study, measured in a process of its own: chip, plan, run, figures.
#pragma once

#include <vector>

#include "planner/graph/graph.h"
#include "planner/search/study/study_result.h"

namespace tilewright {

// The study's workloads as graphs, in its order. UserError for files that cannot be imported.
std::vector<Graph> import_workloads(const Study& study);

// Measures the workloads from `first` up to before `last`. A chip that cannot be built and a workload that cannot be
// planned on it make the point illegal. Elaborates a chip: once per process.
PointResult measure_point(const Study& study, const std::vector<Graph>& graphs, std::int64_t point, std::size_t first,
                          std::size_t last);

}  // namespace tilewright
