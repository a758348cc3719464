#include "cli/explore/pool.h"

#include <fmt/format.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "cli/database_options.h"
#include "cli/language_run.h"
#include "cli/tilings.h"
#include "planner/graph/graph.h"
#include "planner/import/import.h"
#include "planner/passes/pass.h"
#include "planner/report/run/language_report.h"
#include "planner/report/run/make_report.h"
#include "planner/report/study/study_json.h"
#include "planner/search/study/study_points.h"
#include "planner/search/study/study_result.h"
#include "planner/search/tiling/plan_network.h"
#include "planner/search/tiling/tiling_network.h"
#include "sim/base/error.h"
#include "sim/session.h"

namespace tilewright {
namespace {

WorkloadResult result_of(const std::string& name, const Report& report) {
  WorkloadResult result{.name = name,
                        .cycles = report.cycles(),
                        .time = report.time,
                        .bound = report.bound.value_or(0),
                        .energy_pj = report.picojoules,
                        .macs = report.macs,
                        .utilisation_percent = 100 * report.utilisation,
                        .dram_peak_percent = 100 * report.dram.share_of_peak(),
                        .dram_read = report.dram.read,
                        .dram_written = report.dram.written};
  for (int i = 0; i < kCorePhaseCount; ++i)
    result.time_percent.emplace_back(name_of(static_cast<CorePhase>(i)), 100 * report.mean_time[i]);
  for (const EnergyShare& part : report.energy) result.energy_parts_pj.emplace_back(part.component, part.picojoules);
  result.bottleneck = report.bottleneck;
  return result;
}

// Of all blocks of a language model; the shares of the time are those of the simulated ones.
WorkloadResult of_all_blocks(WorkloadResult result, const LanguageReport& language, const Clock& clock) {
  if (language.simulated_layers < language.layers)
    result.energy_parts_pj.emplace_back("other_blocks", language.picojoules - result.energy_pj);
  result.cycles = clock.ceil(language.time), result.time = language.time, result.bound = language.bound();
  result.energy_pj = language.picojoules;
  result.macs = language.multiply_adds;
  result.dram_read = language.dram_read, result.dram_written = language.dram_written;
  return result;
}

ImportOptions import_options_of(const StudyWorkload& workload, std::int64_t blocks) {
  ImportOptions options{.type = workload.type, .batch = workload.batch};
  options.dimensions = workload.dimensions;
  options.language = workload.language;
  options.language.blocks = blocks;
  return options;
}

// As `tilewright run` with run_options_of() plans it. May have worker processes measure: before a chip is elaborated.
Plan plan_of(const Study& study, const StudyWorkload& workload, const Graph& graph, const Hardware& hardware,
             Predictions& predictions) {
  const StudyPlanner& planner = planner_of(study, workload);
  PlanOptions options{.type = workload.type};
  options.predict = planner.method != PlannerMethod::kClosedForm;
  if (plans_alone(planner.method)) return plan_network(graph, hardware, options, {}, &predictions);
  if (planner.method == PlannerMethod::kTuned)
    return tuned_plan(graph, hardware, options, {.budget = planner.budget}, 1);
  DatabaseOptions records;
  records.database = planner.database, records.hardware = hardware.name, records.objective = name_of(planner.objective);
  return with_tilings(graph, hardware, options, *load_index(records, hardware), TilingReach::kGain, 1).plan;
}

Report report_of(const std::string& name, const Plan& plan, Session& session) {
  const RunResult run = session.run(plan.program, {.causes = true});
  ReportInput input{.hardware = plan.hardware, .program = plan.program, .result = run, .workload = name};
  input.plan = &plan;
  return make_report(input);
}

// From its first blocks where they stand for all. Where not, more are planned, which must start no process.
WorkloadResult measure_language(const Study& study, const StudyWorkload& workload, Plan plan, Session& session,
                                Predictions& predictions) {
  const auto counts = block_counts(workload.file, import_options_of(workload, 0), true);
  for (const std::int64_t blocks : counts) {
    const ImportOptions options = import_options_of(workload, blocks);
    const bool again = blocks != counts.front();
    if (again && !plans_alone(planner_of(study, workload).method))
      throw UserError(workload.file,
                      "its blocks take other times; only planners predicted and closed_form take more of them");
    if (again) plan = plan_of(study, workload, import_workload(workload.file, options), plan.hardware, predictions);
    Report report = report_of(workload.name, plan, session);
    if (add_repeat_report(workload.file, options, plan, report))
      return of_all_blocks(result_of(workload.name, report), *report.language, report.core_clock);
  }
  SIM_CHECK(false, "{}: a run of all blocks has no report", workload.file);
}

// A point and what its runs can be told by; a run of a language model's blocks, which is several, by nothing.
struct MeasuredPoint {
  PointResult result;
  std::vector<std::string> identities;  // of result.workloads
};

// Measures workloads on a chip, which is elaborated when the first run asks for it: once per process.
class PointMeasurer {
 public:
  PointMeasurer(const Study& study, const Hardware& hardware, SharedWork& shared)
      : study_(study), hardware_(hardware), shared_(shared) {}

  void measure(const StudyWorkload& workload, const Plan& plan, MeasuredPoint& point) {
    point.identities.push_back(identity_of(workload, plan));
    const WorkloadResult* known = shared_.runs.find(point.identities.back());
    point.result.workloads.push_back(known ? *known : measured(workload, plan));
  }

 private:
  std::string identity_of(const StudyWorkload& workload, const Plan& plan) const {
    return is_language_config(workload.file) ? "" : workload.name + " " + run_identity(hardware_, plan.program);
  }
  WorkloadResult measured(const StudyWorkload& workload, const Plan& plan) {
    if (is_language_config(workload.file))
      return measure_language(study_, workload, plan, session(), shared_.predictions);
    return result_of(workload.name, report_of(workload.name, plan, session()));
  }
  Session& session() { return session_ ? *session_ : session_.emplace(hardware_); }

  const Study& study_;
  const Hardware& hardware_;
  SharedWork& shared_;
  std::optional<Session> session_;
};

// The study's workloads as graphs, in its order; of language models the first blocks. UserError for files that cannot
// be imported.
std::vector<Graph> import_workloads(const Study& study) {
  std::vector<Graph> graphs;
  for (const StudyWorkload& workload : study.workloads)
    graphs.push_back(import_workload(workload.file, import_options_of(workload, kSimulatedBlocks)));
  return graphs;
}

// A chip that cannot be built and a workload that cannot be planned on it make the point illegal. Elaborates a chip:
// once per process.
MeasuredPoint measure_point(const Study& study, const std::vector<Graph>& graphs, const PointQuery& query,
                            SharedWork& shared) {
  const StudiedChip chip = study_chip(study, query.point);
  MeasuredPoint point{chip.result, {}};
  if (!chip.hardware) return point;
  std::size_t at = query.first;
  try {
    std::vector<Plan> plans;
    for (; at < query.last; ++at)
      plans.push_back(plan_of(study, study.workloads.at(at), graphs.at(at), *chip.hardware, shared.predictions));
    PointMeasurer measurer(study, *chip.hardware, shared);
    for (at = query.first; at < query.last; ++at)
      measurer.measure(study.workloads.at(at), plans.at(at - query.first), point);
  } catch (const UserError& error) {
    point.result.status = PointStatus::kIllegal;
    point.result.reason = fmt::format("{}: {}", study.workloads.at(at).name, error.what());
  }
  return point;
}

std::string answer_of(const Study& study, const MeasuredPoint& point, const Predictions& predictions) {
  return nlohmann::ordered_json{
      {"point", to_json(study, point.result)}, {"runs", point.identities}, {"predictions", predictions.learned()}}
      .dump();
}

PointResult failed_point(const Study& study, std::int64_t point, const std::string& reason) {
  PointResult result = study_chip(study, point).result;
  result.status = PointStatus::kFailed;
  result.reason = reason;
  return result;
}

std::string text_of(const PointQuery& query) { return fmt::format("{} {} {}", query.point, query.first, query.last); }

PointQuery query_of(const std::string& text) {
  PointQuery query;
  std::istringstream fields(text);
  fields >> query.point >> query.first >> query.last;
  SIM_CHECK(!fields.fail(), "query '{}'", text);
  return query;
}

}  // namespace

std::vector<PointQuery> queries_of(const Study& study, int round, const std::vector<std::int64_t>& points) {
  const std::size_t first = round == 0 ? 0 : workloads_in_round(study, round - 1);
  std::vector<PointQuery> queries;
  for (const std::int64_t point : points) queries.push_back({point, first, workloads_in_round(study, round)});
  return queries;
}

PointPool::PointPool(const Study& study, int jobs, const WorkerLimits& limits)
    : study_(study),
      graphs_(import_workloads(study)),
      pool_(
          jobs, [this] { return handler(); }, 1, limits) {}

void PointPool::measure(const std::vector<PointQuery>& queries, const std::function<void(PointResult)>& done) {
  std::deque<PointQuery> open(queries.begin(), queries.end());
  std::vector<PointQuery> asked;
  std::set<std::int64_t> again;
  const auto next = [&](std::string& query) {
    if (open.empty()) return false;
    asked.push_back(open.front());
    open.pop_front();
    query = text_of(asked.back());
    return true;
  };
  pool_.stream(next, [&](std::size_t number, const WorkerPool::Answer& answer) {
    const PointQuery& query = asked[number];
    if (answer.ok()) return done(taken(answer.text));
    const bool crashed = answer.kind == WorkerPool::Answer::Kind::kCrashed;
    if (crashed && again.insert(query.point).second) return open.push_back(query);
    done(failed_point(study_, query.point, answer.text));
  });
}

WorkerPool::Handler PointPool::handler() {
  return [this](const std::string& text) {
    const MeasuredPoint point = measure_point(study_, graphs_, query_of(text), shared_);
    return answer_of(study_, point, shared_.predictions);
  };
}

PointResult PointPool::taken(const std::string& answer) {
  const auto json = nlohmann::ordered_json::parse(answer);
  PointResult result = point_from_json(json.at("point"));
  shared_.predictions.take(json.at("predictions"));
  const auto identities = json.at("runs").get<std::vector<std::string>>();
  for (std::size_t i = 0; i < result.workloads.size(); ++i)
    if (!identities.at(i).empty()) shared_.runs.add(identities[i], result.workloads[i]);
  return result;
}

}  // namespace tilewright
