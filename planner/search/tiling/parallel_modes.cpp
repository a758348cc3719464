#include "planner/search/tiling/parallel_modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "planner/search/tiling/measured_plan.h"
#include "planner/search/tiling/plan_network.h"

namespace tilewright {
namespace {

WorkerPool::Handler mode_handler(const Graph& graph, const Hardware& hardware, const PlanOptions& options) {
  return [&graph, options, session = std::make_shared<Session>(hardware)](const std::string& query) {
    PlanOptions in_mode = options;
    in_mode.parallel = static_cast<Parallel>(std::stoi(query));
    return to_json(measure_cost(*session, plan_network(graph, session->hardware(), in_mode)));
  };
}

const ModeCost& fastest(const std::vector<ModeCost>& costs) {
  return *std::min_element(costs.begin(), costs.end(),
                           [](const ModeCost& a, const ModeCost& b) { return a.cost.cycles < b.cost.cycles; });
}

}  // namespace

std::vector<ModeCost> measure_modes(const Graph& graph, const Hardware& hardware, const PlanOptions& options) {
  const int modes = static_cast<int>(kParallelNames.size());
  WorkerPool pool(std::min(modes, default_jobs()), [&] { return mode_handler(graph, hardware, options); });
  std::vector<std::string> queries;
  for (int mode = 0; mode < modes; ++mode) queries.push_back(fmt::format("{}", mode));
  std::vector<ModeCost> costs;
  for (const WorkerPool::Answer& answer : pool.ask(queries)) {
    const std::string mode = fmt::format("--parallel {}", kParallelNames[costs.size()]);
    costs.push_back({static_cast<Parallel>(costs.size()), answered_cost(answer, mode)});
  }
  return costs;
}

Parallel fastest_mode(const std::vector<ModeCost>& costs) { return fastest(costs).mode; }

std::string modes_text(const std::vector<ModeCost>& costs) {
  const ModeCost& best = fastest(costs);
  std::string text = "Parallel modes, measured:\n";
  for (const ModeCost& cost : costs)
    text +=
        fmt::format("  {:<8}{:>14} cycles{:>10.3f} times the fastest{}\n", kParallelNames[static_cast<int>(cost.mode)],
                    cost.cost.cycles, static_cast<double>(cost.cost.cycles) / static_cast<double>(best.cost.cycles),
                    &cost == &best ? ", taken" : "");
  return text + "\n";
}

}  // namespace tilewright
