#include "planner/search/database/database_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "planner/search/database/database_worker.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// By query. Equal queries, of the equal layers of a network say, are asked once.
std::map<std::string, WorkerPool::Answer> ask_all(const Hardware& hardware, int jobs,
                                                  const std::vector<std::string>& queries,
                                                  const CheckProgress& progress) {
  const std::set<std::string> distinct(queries.begin(), queries.end());
  const std::vector<std::string> asked(distinct.begin(), distinct.end());
  WorkerPool pool(jobs, tiling_worker(hardware));
  std::int64_t done = 0;
  const auto answers = pool.ask(asked, [&](std::size_t, const WorkerPool::Answer&) {
    if (progress) progress(++done, std::ssize(asked));
  });
  std::map<std::string, WorkerPool::Answer> by_query;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    SIM_CHECK(!answers[i].died(), "{}: {}", asked[i], answers[i].text);
    by_query[asked[i]] = answers[i];
  }
  return by_query;
}

void add(Accuracy& accuracy, double signed_error) {
  const double error = std::abs(signed_error);
  ++accuracy.shapes;
  accuracy.within_5_percent += error <= 0.05;
  accuracy.mean += 1 - error;
  accuracy.worst_error = std::max(accuracy.worst_error, error);
}

void divide(Accuracy& accuracy) {
  if (accuracy.shapes == 0) return;
  accuracy.within_5_percent /= static_cast<double>(accuracy.shapes);
  accuracy.mean /= static_cast<double>(accuracy.shapes);
}

void add(CheckSummary& summary, const CheckedShape& shape, Objective objective) {
  ++summary.shapes;
  if (!shape.hit) {
    ++summary.misses;
    return;
  }
  ++summary.hits[static_cast<std::size_t>(shape.hit->match)];
  const double error = shape.error(shape.hit->predicted, objective);
  const bool itself = shape.hit->record->shape.dims == shape.shape.dims;
  add(summary.all, error);
  add(summary.proportional, shape.error(shape.hit->proportional, objective));
  add(shape.hit->linear ? summary.linear : summary.other, error);
  if (shape.hit->linear && !itself) add(summary.linear_only, error);
  if (const auto bound = shape.hit->bound(objective); bound && !itself)
    ++summary.bounded, summary.within_bound += std::abs(error) <= *bound;
  if (!shape.searched) return;
  const double loss = value_of(*shape.measured, objective) / value_of(*shape.searched, objective) - 1;
  ++summary.searched;
  summary.loss_mean += loss;
  summary.loss_worst = std::max(summary.loss_worst, loss);
}

std::string drift_of(const TilingRecord& record, const WorkerPool::Answer& answer) {
  if (!answer.ok()) return answer.text;
  const Cost now = measured_cost(answer.text), then = record.cost;
  if (now.cycles != then.cycles) return fmt::format("{} cycles, recorded {}", now.cycles, then.cycles);
  if (now.energy_pj != then.energy_pj) return fmt::format("{} pJ, recorded {}", now.energy_pj, then.energy_pj);
  if (now.program_hash != then.program_hash)
    return fmt::format("program {:016x}, recorded {:016x}", now.program_hash, then.program_hash);
  return "";
}

}  // namespace

double CheckedShape::error(const PredictedCost& prediction, Objective objective) const {
  const double predicted = prediction.value(objective), found = value_of(*measured, objective);
  return predicted == found ? 0 : predicted / found - 1;
}

std::vector<CheckedShape> check_tilings(const TilingIndex& index, const Hardware& hardware, Objective objective,
                                        const std::vector<OperatorShape>& shapes, const CheckOptions& options, int jobs,
                                        const CheckProgress& progress) {
  std::vector<CheckedShape> checked;
  std::vector<std::string> queries;
  std::vector<std::pair<std::size_t, bool>> meaning;  // shape, whether it is a search
  for (const OperatorShape& shape : shapes) {
    checked.push_back({shape, lookup_on(index, shape, hardware, options.lookup), {}, {}});
    if (!checked.back().hit) continue;
    queries.push_back(measure_query(shape, checked.back().hit->record->point));
    meaning.emplace_back(checked.size() - 1, false);
    if (!options.search) continue;
    queries.push_back(cheapest_query(shape, objective, options.budget));
    meaning.emplace_back(checked.size() - 1, true);
  }
  const auto answers = ask_all(hardware, jobs, queries, progress);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto& [at, is_search] = meaning[i];
    const WorkerPool::Answer& answer = answers.at(queries[i]);
    SIM_CHECK(answer.ok(), "{}: {}", queries[i], answer.text);
    (is_search ? checked[at].searched : checked[at].measured) = measured_cost(answer.text);
  }
  return checked;
}

CheckSummary summary_of(const std::vector<CheckedShape>& checked, Objective objective) {
  CheckSummary summary;
  for (const CheckedShape& shape : checked) add(summary, shape, objective);
  for (Accuracy* part : {&summary.linear, &summary.linear_only, &summary.other, &summary.all, &summary.proportional})
    divide(*part);
  if (summary.bounded > 0) summary.within_bound /= static_cast<double>(summary.bounded);
  if (summary.searched > 0) summary.loss_mean /= static_cast<double>(summary.searched);
  return summary;
}

std::vector<Drift> verify_tilings(const std::vector<TilingRecord>& records, const Hardware& hardware, int jobs,
                                  const CheckProgress& progress) {
  std::vector<std::string> queries;
  for (const TilingRecord& record : records) queries.push_back(measure_query(record.shape, record.point));
  const auto answers = ask_all(hardware, jobs, queries, progress);
  std::vector<Drift> drifts;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (std::string what = drift_of(records[i], answers.at(queries[i])); !what.empty())
      drifts.push_back({&records[i], std::move(what)});
  return drifts;
}

}  // namespace tilewright
