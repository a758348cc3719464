#include "cli/explore/pool.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/explore/point.h"
#include "planner/report/study/study_json.h"
#include "planner/search/study/study_points.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

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

PointPool::PointPool(const Study& study, int jobs)
    : study_(study),
      graphs_(import_workloads(study)),
      pool_(
          jobs, [this] { return handler(); }, 1) {}

std::string PointPool::measure(const std::vector<PointQuery>& queries, const std::function<void(PointResult)>& done,
                               const std::function<bool()>& stop) {
  std::size_t given = 0;
  std::string crashed;
  const auto next = [&](std::string& query) {
    if (given == queries.size() || stop()) return false;
    query = text_of(queries[given++]);
    return true;
  };
  pool_.stream(next, [&](std::size_t number, const WorkerPool::Answer& answer) {
    if (answer.ok())
      done(point_from_json(nlohmann::ordered_json::parse(answer.text)));
    else
      crashed += fmt::format("{}point {}: {}", crashed.empty() ? "" : "; ", queries[number].point, answer.text);
  });
  return crashed;
}

WorkerPool::Handler PointPool::handler() const {
  return [this](const std::string& text) {
    const PointQuery query = query_of(text);
    return to_json(study_, measure_point(study_, graphs_, query.point, query.first, query.last)).dump();
  };
}

}  // namespace tilewright
