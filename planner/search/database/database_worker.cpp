#include "planner/search/database/database_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "planner/estimate/roofline.h"
#include "planner/search/tiling/tiling_search.h"
#include "sim/base/error.h"
#include "sim/base/number_text.h"

namespace tilewright {
namespace {

constexpr std::string_view kSearch = "search ", kCheapest = "cheapest ", kMeasure = "measure ",
                           kRefused = "refused: ", kQuery = "query", kBar = " | ";

// "a | b" -> a, b.
std::pair<std::string, std::string> halves(const std::string& text) {
  const std::size_t bar = text.find(kBar);
  if (bar == std::string::npos) throw UserError(std::string(kQuery), fmt::format("'{}' has no ' | '", text));
  return {text.substr(0, bar), text.substr(bar + kBar.size())};
}

// " | a | b" -> a, b; nothing of an empty text.
std::vector<TilingPoint> points_behind(std::string text) {
  std::vector<TilingPoint> points;
  while (!text.empty()) {
    text.erase(0, kBar.size());
    const std::size_t end = std::min(text.find(kBar), text.size());
    points.push_back(parse_tiling_point(text.substr(0, end), std::string(kQuery)));
    text.erase(0, end);
  }
  return points;
}

OperatorShape shape_of(const std::string& text) { return parse_operator_shape(text, std::string(kQuery)); }

Cycles whole_number(const std::string& text) {
  if (const auto value = number_of<Cycles>(text)) return *value;
  throw UserError(std::string(kQuery), fmt::format("got '{}', expected a whole number", text));
}

class DatabaseWorker {
 public:
  explicit DatabaseWorker(const Hardware& hardware) : session_(hardware) {}

  std::string answer(const std::string& query) {
    if (query.starts_with(kSearch)) return best_point(query.substr(kSearch.size()));
    if (query.starts_with(kCheapest)) return to_json(search(query.substr(kCheapest.size())).best.cost);
    SIM_CHECK(query.starts_with(kMeasure), "'{}' is no query", query);
    return measure(query.substr(kMeasure.size()));
  }

 private:
  std::string best_point(const std::string& text) {
    const SearchResult found = search(text);
    const OperatorShape shape = shape_of(halves(text).first);
    if (!found.best_point) throw UserError(to_string(shape), "the planner's own tiling cannot be given as one point");
    const Plan plan = make_plan(tiling_operator(shape).graph, session_.hardware(), {.type = shape.type});
    const auto bound = static_cast<Cycles>(operators_roofline_of(plan).cycles());
    return fmt::format("{} | {} | {}", to_string(*found.best_point), bound, to_json(found.best_point_cost));
  }

  SearchResult search(const std::string& text) {
    const auto [shape, rest] = halves(text);
    const std::size_t bar = std::min(rest.find(kBar), rest.size());
    const std::string words = rest.substr(0, bar);
    const std::size_t space = words.find(' ');
    SearchOptions options{.objective = parse_objective(words.substr(0, space), std::string(kQuery))};
    options.budget = std::stoll(words.substr(space));
    options.seeds = points_behind(rest.substr(bar));
    const TilingOperator op = tiling_operator(shape_of(shape));
    return search_tiling(measured_by(session_, op), session_.hardware(), op, options);
  }

  std::string measure(const std::string& text) {
    const auto [shape_text, point_text] = halves(text);
    const OperatorShape shape = shape_of(shape_text);
    const TriedPoint point{.point = parse_tiling_point(point_text, std::string(kQuery))};
    const PointCost measured = measure_point(session_, tiling_operator(shape), point);
    if (!measured.cost) throw UserError(to_string(shape), measured.refusal);
    return to_json(*measured.cost);
  }

  Session session_;
};

}  // namespace

std::string search_query(const OperatorShape& shape, Objective objective, std::int64_t budget,
                         const std::vector<TilingPoint>& seeds) {
  std::string query = fmt::format("{}{} | {} {}", kSearch, to_string(shape), name_of(objective), budget);
  for (const TilingPoint& seed : seeds) query.append(kBar).append(to_string(seed));
  return query;
}

std::string cheapest_query(const OperatorShape& shape, Objective objective, std::int64_t budget) {
  return fmt::format("{}{} | {} {}", kCheapest, to_string(shape), name_of(objective), budget);
}

std::string measure_query(const OperatorShape& shape, const TilingPoint& point) {
  return fmt::format("{}{} | {}", kMeasure, to_string(shape), to_string(point));
}

FoundTiling found_tiling(const std::string& answer) {
  const auto [point, rest] = halves(answer);
  const auto [bound, cost] = halves(rest);
  return {parse_tiling_point(point, std::string(kQuery)), cost_from_json(cost), whole_number(bound)};
}

Cost measured_cost(const std::string& answer) { return cost_from_json(answer); }

WorkerPool::MakeHandler tiling_worker(const Hardware& hardware) {
  return [hardware]() -> WorkerPool::Handler {
    auto worker = std::make_shared<DatabaseWorker>(hardware);
    return [worker](const std::string& query) { return worker->answer(query); };
  };
}

std::optional<std::string> text_to_keep(const WorkerPool::Answer& answer) {
  if (answer.died()) return {};
  return answer.ok() ? answer.text : std::string(kRefused) + answer.text;
}

bool is_refusal(const std::string& kept) { return kept.starts_with(kRefused); }

}  // namespace tilewright
