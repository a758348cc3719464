#include "planner/search/database/database_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "planner/search/database/database_worker.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

class Build {
 public:
  Build(TilingDatabase& database, const Hardware& hardware, const std::vector<OperatorShape>& shapes,
        Objective objective, const BuildOptions& options, const BuildProgress& progress)
      : database_(database),
        context_(context_of(hardware, objective)),
        shapes_(shapes),
        options_(options),
        progress_(progress) {
    answers_ = database_.answers(context_);
    summary_.shapes = std::ssize(shapes_);
    summary_.reused = std::ssize(answers_);
  }

  BuildSummary run(const Hardware& hardware, int jobs) {
    WorkerPool pool(jobs, tiling_worker(hardware));
    const auto next = [&](std::string& query) { return next_query(query); };
    const auto done = [&](std::size_t number, const WorkerPool::Answer& answer) { take(number, answer); };
    pool.stream(next, done);
    return summary_;
  }

 private:
  // The earliest shape's next query; new shapes are begun only when all that were begun wait for answers.
  bool next_query(std::string& query) {
    while (queue_.empty() && begun_ < shapes_.size()) advance(begun_++);
    if (queue_.empty()) return false;
    query = queue_.begin()->second;
    queue_.erase(queue_.begin());
    asked_.push_back(query);
    return true;
  }

  void take(std::size_t number, const WorkerPool::Answer& answer) {
    const std::string& query = asked_.at(number);
    const auto kept = text_to_keep(answer);
    if (kept) {
      database_.put_answer(context_, query, *kept);
      answers_[query] = *kept;
      ++summary_.measured;
    } else {
      summary_.failed.push_back(fmt::format("{}: {}", query, answer.text));
    }
    const auto waiting = waiting_.extract(query);
    // A shape whose query ended a worker stays unfinished; the next build asks again.
    if (kept)
      for (const std::size_t shape : waiting.mapped())
        if (--missing_[shape] == 0) advance(shape);
    if (progress_) progress_(finished_, summary_.shapes);
  }

  // Queues what the shape needs next, or writes its records.
  void advance(std::size_t shape) {
    ShapeRecords result = shape_records(shapes_[shape], context_, options_, answers_);
    if (result.state != ShapeRecords::State::kWaiting) return finish(result);
    missing_[shape] = result.wanted.size();
    for (const std::string& query : result.wanted) {
      auto& waiting = waiting_[query];
      if (waiting.empty()) queue_.emplace(shape, query);
      waiting.push_back(shape);
    }
  }

  void finish(const ShapeRecords& result) {
    using State = ShapeRecords::State;
    ++finished_;
    summary_.below_threshold += result.state == State::kBelowThreshold;
    summary_.not_tiled += result.state == State::kNotTiled;
    if (result.state != State::kEntered) return;
    ++summary_.entered;
    summary_.boundary += std::ssize(result.records) - 1;
    database_.put(result.records);
  }

  TilingDatabase& database_;
  const TilingContext context_;
  const std::vector<OperatorShape>& shapes_;
  const BuildOptions& options_;
  const BuildProgress& progress_;
  Answers answers_;
  BuildSummary summary_;
  std::size_t begun_ = 0;
  std::int64_t finished_ = 0;
  std::set<std::pair<std::size_t, std::string>> queue_;
  std::vector<std::string> asked_;
  std::map<std::string, std::vector<std::size_t>> waiting_;  // shapes by the query they wait for
  std::map<std::size_t, std::size_t> missing_;               // answers a shape waits for
};

}  // namespace

BuildSummary build_tilings(TilingDatabase& database, const Hardware& hardware, const std::vector<OperatorShape>& shapes,
                           Objective objective, const BuildOptions& options, int jobs, const BuildProgress& progress) {
  return Build(database, hardware, shapes, objective, options, progress).run(hardware, jobs);
}

std::int64_t open_shapes(const TilingDatabase& database, const Hardware& hardware,
                         const std::vector<OperatorShape>& shapes, Objective objective, const BuildOptions& options) {
  const TilingContext context = context_of(hardware, objective);
  const Answers answers = database.answers(context);
  return std::count_if(shapes.begin(), shapes.end(), [&](const OperatorShape& shape) {
    return shape_records(shape, context, options, answers).state == ShapeRecords::State::kWaiting;
  });
}

std::vector<OperatorShape> slice_of(const std::vector<OperatorShape>& shapes, const Slice& slice) {
  std::vector<OperatorShape> mine;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (slice.holds(i)) mine.push_back(shapes[i]);
  return mine;
}

std::vector<OperatorShape> read_shapes(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UserError(path, "cannot be read");
  std::vector<OperatorShape> shapes;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    line.erase(std::min(line.find('#'), line.size()));
    const std::size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
    if (first == std::string::npos) continue;
    shapes.push_back(parse_operator_shape(line.substr(first, last - first + 1), fmt::format("{}:{}", path, number)));
  }
  return shapes;
}

}  // namespace tilewright
