// Ways to plan a whole workload, each planned and measured: in which parallel mode, and on how many cores, it is
// fastest.
#pragma once

#include <string>
#include <vector>

#include "planner/measure/measure.h"

namespace tilewright {

struct PlanningWay {
  std::string name;  // for people
  PlanOptions options;
  bool needed = true;  // else one that cannot be planned is left out
};

// `options` in each of the parallel modes.
std::vector<PlanningWay> parallel_ways(const PlanOptions& options);
// `options` as they are, then with half as many cores, a quarter ... down to one.
std::vector<PlanningWay> core_ways(const PlanOptions& options, const Hardware& hardware);

struct MeasuredWay {
  PlanningWay way;
  Cost cost;
};

// Plans and simulates `graph` in every way, in worker processes. UserError of the first needed way that cannot be
// planned. The caller must not have elaborated a chip itself.
std::vector<MeasuredWay> measure_ways(const Graph& graph, const Hardware& hardware,
                                      const std::vector<PlanningWay>& ways);

// The one with the fewest cycles; of equal ones the first.
const MeasuredWay& fastest(const std::vector<MeasuredWay>& measured);

// One line per way: cycles, and how many times the fastest.
std::string ways_text(const std::string& title, const std::vector<MeasuredWay>& measured);

}  // namespace tilewright
