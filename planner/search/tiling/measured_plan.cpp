#include "planner/search/tiling/measured_plan.h"

#include <algorithm>
#include <memory>

#include "sim/base/error.h"

namespace tilewright {
namespace {

WorkerPool::Handler measuring(const std::vector<const Plan*>& plans) {
  return [&plans, session = std::make_shared<Session>(plans.front()->hardware)](const std::string& query) {
    return to_json(measure_cost(*session, *plans.at(std::stoul(query))));
  };
}

}  // namespace

Cost answered_cost(const WorkerPool::Answer& answer, const std::string& where) {
  if (answer.kind == WorkerPool::Answer::Kind::kRefused) throw UserError(where, answer.text);
  SIM_CHECK(answer.ok(), "measuring {}: {}", where, answer.text);
  return cost_from_json(answer.text);
}

std::size_t fastest_measured(const std::vector<const Plan*>& plans, int jobs) {
  SIM_CHECK(!plans.empty(), "no plan");
  WorkerPool pool(jobs, [&] { return measuring(plans); });
  std::vector<std::string> queries;
  for (std::size_t i = 0; i < plans.size(); ++i) queries.push_back(std::to_string(i));
  std::vector<Cycles> cycles;
  for (const WorkerPool::Answer& answer : pool.ask(queries))
    cycles.push_back(answered_cost(answer, plans.front()->graph.name).cycles);
  return static_cast<std::size_t>(std::ranges::min_element(cycles) - cycles.begin());
}

}  // namespace tilewright
