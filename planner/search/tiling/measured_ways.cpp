#include "planner/search/tiling/measured_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "planner/search/tiling/measured_plan.h"
#include "planner/search/tiling/plan_network.h"

namespace tilewright {
namespace {

WorkerPool::Handler way_handler(const Graph& graph, const Hardware& hardware, const std::vector<PlanningWay>& ways) {
  return [&graph, &ways, session = std::make_shared<Session>(hardware)](const std::string& query) {
    const PlanningWay& way = ways.at(std::stoul(query));
    return to_json(measure_cost(*session, plan_network(graph, session->hardware(), way.options)));
  };
}

}  // namespace

std::vector<PlanningWay> parallel_ways(const PlanOptions& options) {
  std::vector<PlanningWay> ways;
  for (std::size_t mode = 0; mode < kParallelNames.size(); ++mode) {
    ways.push_back({fmt::format("--parallel {}", kParallelNames[mode]), options});
    ways.back().options.parallel = static_cast<Parallel>(mode);
  }
  return ways;
}

std::vector<PlanningWay> core_ways(const PlanOptions& options, const Hardware& hardware) {
  std::vector<PlanningWay> ways;
  for (int cores = options.cores > 0 ? options.cores : hardware.cores(); cores >= 1; cores /= 2) {
    ways.push_back({fmt::format("--cores {}", cores), options, ways.empty()});
    if (!ways.back().needed) ways.back().options.cores = cores;
  }
  return ways;
}

std::vector<MeasuredWay> measure_ways(const Graph& graph, const Hardware& hardware,
                                      const std::vector<PlanningWay>& ways) {
  WorkerPool pool(std::min(static_cast<int>(ways.size()), default_jobs()),
                  [&] { return way_handler(graph, hardware, ways); });
  std::vector<std::string> queries;
  for (std::size_t i = 0; i < ways.size(); ++i) queries.push_back(fmt::format("{}", i));
  const std::vector<WorkerPool::Answer> answers = pool.ask(queries);
  std::vector<MeasuredWay> measured;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const bool refused = answers[i].kind == WorkerPool::Answer::Kind::kRefused;
    if (ways[i].needed || !refused) measured.push_back({ways[i], answered_cost(answers[i], ways[i].name)});
  }
  return measured;
}

const MeasuredWay& fastest(const std::vector<MeasuredWay>& measured) {
  return *std::ranges::min_element(measured, {}, [](const MeasuredWay& one) { return one.cost.cycles; });
}

std::string ways_text(const std::string& title, const std::vector<MeasuredWay>& measured) {
  const MeasuredWay& best = fastest(measured);
  std::string text = title + ", measured:\n";
  for (const MeasuredWay& one : measured)
    text += fmt::format("  {:<18}{:>14} cycles{:>10.3f} times the fastest{}\n", one.way.name, one.cost.cycles,
                        static_cast<double>(one.cost.cycles) / static_cast<double>(best.cost.cycles),
                        &one == &best ? ", taken" : "");
  return text + "\n";
}

}  // namespace tilewright
