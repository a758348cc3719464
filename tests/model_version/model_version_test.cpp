// The version of the model is a hash of planner/measure/model_costs.txt: what fixed programs, networks and operators
// take on fixed chips. This test measures them again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "planner/import/import.h"
#include "planner/measure/simulator_version.h"
#include "planner/passes/tile/tiling_choice.h"
#include "planner/search/study/study_read.h"
#include "planner/search/tiling/tiling_measurer.h"
#include "sim/base/error.h"
#include "sim/base/hash.h"
#include "sim/isa/text.h"
#include "tests/support/files.h"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TILEWRIGHT_SOURCE_DIR, kCosts = kRoot / "planner/measure/model_costs.txt";

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  return lines;
}

// The time, and a hash over everything that costs energy, operator by operator.
std::string text_of(const RunResult& result) {
  std::string events;
  for (const OperatorResult& op : result.operators) events += fmt::format("{} ", fmt::join(op.events, ","));
  return fmt::format("{} ps, events {:016x}", result.time, fnv1a(events));
}

// What `run` measures, or that the chip refuses it.
template <typename Run>
std::string row(const Hardware& hardware, const std::string& subject, Run run) {
  std::string cost;
  try {
    cost = text_of(run());
  } catch (const UserError&) {
    cost = "refused";
  }
  return fmt::format("{} | {} | {}\n", hardware.name, subject, cost);
}

std::string program_rows(Session& session) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kRoot / "tests/model_version/programs"))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string rows;
  for (const fs::path& file : files)
    rows += row(session.hardware(), file.filename().string(), [&] { return session.run(load_program(file.string())); });
  return rows;
}

std::string network_rows(Session& session, const Study& study) {
  std::string rows;
  for (const StudyWorkload& workload : study.workloads) {
    const Graph graph = import_workload(workload.file, {.type = workload.type, .batch = workload.batch});
    rows += row(session.hardware(), workload.name,
                [&] { return measure(session, make_plan(graph, session.hardware(), {.type = workload.type})).result; });
  }
  return rows;
}

RunResult measured(Session& session, const TilingOperator& op, PlanOptions options, const std::string& point) {
  options.type = op.type;
  if (!point.empty())
    options.choices = {
        choice_of(parse_tiling_point(point, "operators.txt"), op.graph, op.op, session.hardware(), op.type)};
  return measure(session, make_plan(op.graph, session.hardware(), options)).result;
}

std::string operator_rows(Session& session, const std::string& line) {
  const std::size_t bar = line.find(" | ");
  const TilingOperator op = tiling_operator(parse_operator_shape(line.substr(0, bar), "operators.txt"));
  const auto rows = [&](const std::string& how, const PlanOptions& options, const std::string& point) {
    return row(session.hardware(), op.key + ", " + how, [&] { return measured(session, op, options, point); });
  };
  if (bar != std::string::npos) return rows("at " + line.substr(bar + 3), {}, line.substr(bar + 3));
  return rows("planner", {}, "") + rows("closed formulas", {.refine = false}, "");
}

std::string costs_now() {
  const Study study = load_study(kRoot / "tests/model_version/chips.yaml");
  std::vector<std::unique_ptr<Session>> sessions;  // all before one of them runs
  for (std::int64_t point = 0; point < grid_size(study); ++point)
    sessions.push_back(std::make_unique<Session>(hardware_of(study, point)));
  std::string costs;
  for (const auto& session : sessions) {
    costs += program_rows(*session) + network_rows(*session, study);
    for (const std::string& line : lines_of(kRoot / "tests/model_version/operators.txt"))
      costs += operator_rows(*session, line);
  }
  return costs;
}

TEST(ModelVersion, IsOfWhatTheModelComputesToday) {
  const std::string now = costs_now();
  if (std::getenv("TILEWRIGHT_UPDATE_GOLDEN") != nullptr) std::ofstream(kCosts) << now;
  EXPECT_EQ(now, testing_support::read_file(kCosts))
      << "The model computes other costs. If it is meant to, give it a new version, which outdates records of tiling "
         "databases and unfinished studies:\n  TILEWRIGHT_UPDATE_GOLDEN=1 ctest --preset release -R model_version && "
         "cmake --build --preset release";
}

TEST(ModelVersion, HasCostsOfEveryKind) {
  const std::string costs = testing_support::read_file(kCosts);
  const std::ptrdiff_t rows = std::count(costs.begin(), costs.end(), '\n');
  std::ptrdiff_t refused = 0;
  for (std::size_t at = 0; (at = costs.find("| refused", at)) != std::string::npos; ++at) ++refused;
  EXPECT_GT(rows, 100);
  EXPECT_LT(10 * refused, rows);
}

TEST(ModelVersion, NamesTheProjectsVersionAndTheHash) {
  EXPECT_TRUE(simulator_version().starts_with(TILEWRIGHT_VERSION "-")) << simulator_version();
  EXPECT_EQ(simulator_version().size(), std::string(TILEWRIGHT_VERSION "-").size() + 16);
}

}  // namespace
}  // namespace tilewright
