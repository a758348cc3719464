#include "planner/search/tiling/tiling_measurer.h"

#include <algorithm>
#include <map>
#include <memory>

#include "planner/passes/fold/fold.h"
#include "planner/passes/fuse/fuse.h"
#include "planner/passes/pass.h"
#include "planner/passes/tile/tiling_choice.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr char kSeparator = '\t';
constexpr std::string_view kRefined = "refined", kClosedForm = "closed form";

std::string text_of(const TriedPoint& point) {
  return point.point ? to_string(*point.point) : std::string(point.refine ? kRefined : kClosedForm);
}

TriedPoint tried_point(const std::string& text) {
  if (text == kRefined) return {};
  if (text == kClosedForm) return {.refine = false};
  return {.point = parse_tiling_point(text, "point")};
}

// A worker's side: one chip, and the operator of the last query, which the next one is mostly about too.
class Bench {
 public:
  Bench(const Hardware& hardware, const std::vector<TilingOperator>& known) : session_(hardware), known_(known) {}

  std::string answer(const std::string& query) {
    const auto at = query.find(kSeparator);
    SIM_CHECK(at != std::string::npos, "a query without a point: '{}'", query);
    const TilingOperator& op = operator_of(query.substr(0, at));
    const PointCost cost = measure_point(session_, op, tried_point(query.substr(at + 1)));
    return cost.cost ? to_json(*cost.cost) : kSeparator + cost.refusal;
  }

 private:
  const TilingOperator& operator_of(const std::string& key) {
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const auto& op) { return op.key == key; });
    if (known != known_.end()) return *known;
    if (last_.key != key) last_ = tiling_operator(parse_operator_shape(key, "shape"));
    return last_;
  }

  Session session_;
  const std::vector<TilingOperator> known_;
  TilingOperator last_;
};

PointCost cost_of(const WorkerPool::Answer& answer) {
  using Kind = WorkerPool::Answer::Kind;
  if (answer.kind != Kind::kAnswered) return {std::nullopt, answer.text};
  if (answer.text.starts_with(kSeparator)) return {std::nullopt, answer.text.substr(1)};
  return {cost_from_json(answer.text), {}};
}

}  // namespace

TilingOperator tiling_operator(const OperatorShape& shape) {
  Plan plan;
  plan.graph = graph_of(shape);
  plan.options.type = shape.type;
  fold(plan);
  fuse(plan);
  return {to_string(shape), plan.graph, 0, shape.type, {}};
}

std::string to_string(const TriedPoint& tried) {
  if (tried.point) return to_string(*tried.point);
  return tried.refine ? "the refined formulas' own" : "the closed formulas' own";
}

PlanOptions options_of(const TilingOperator& op, const Hardware& hardware, const TriedPoint& point) {
  PlanOptions options = op.asked;
  options.type = op.type, options.refine = point.refine;
  if (point.point) options.choices = {choice_of(*point.point, op.graph, op.op, hardware, op.type)};
  return options;
}

Plan tiled_plan(const TilingOperator& op, const Hardware& hardware, const TriedPoint& point) {
  return make_plan(op.graph, hardware, options_of(op, hardware, point), {.stop_after = "tile"});
}

PointCost measure_point(Session& session, const TilingOperator& op, const TriedPoint& point) {
  try {
    const PlanOptions options = options_of(op, session.hardware(), point);
    return {measure_cost(session, make_plan(op.graph, session.hardware(), options)), {}};
  } catch (const UserError& refused) {
    return {std::nullopt, refused.what()};
  }
}

MeasurePoints measured_by(Session& session, const TilingOperator& op) {
  return [&session, &op](const NextPoint& next, const PointDone& done) {
    while (const auto point = next()) done(measure_point(session, op, *point));
  };
}

std::vector<PointCost> measure_all(const MeasurePoints& measure, const std::vector<TriedPoint>& points) {
  std::vector<PointCost> costs;
  std::size_t given = 0;
  measure([&] { return given < points.size() ? std::optional(points[given++]) : std::nullopt; },
          [&](const PointCost& cost) { costs.push_back(cost); });
  return costs;
}

TilingMeasurer::TilingMeasurer(const Hardware& hardware, int jobs, std::vector<TilingOperator> operators)
    : pool_(jobs, [hardware, operators = std::move(operators)]() -> WorkerPool::Handler {
        auto bench = std::make_shared<Bench>(hardware, operators);
        return [bench](const std::string& query) { return bench->answer(query); };
      }) {}

void TilingMeasurer::measure(const TilingOperator& op, const NextPoint& next, const PointDone& done) {
  std::map<std::size_t, PointCost> arrived;  // before one of an earlier point
  std::size_t told = 0;
  const auto ask = [&](std::string& query) {
    const auto point = next();
    if (point) query = op.key + kSeparator + text_of(*point);
    return point.has_value();
  };
  pool_.stream(ask, [&](std::size_t number, const WorkerPool::Answer& answer) {
    arrived[number] = cost_of(answer);
    for (; !arrived.empty() && arrived.begin()->first == told; arrived.erase(arrived.begin()), ++told)
      done(arrived.begin()->second);
  });
}

MeasurePoints TilingMeasurer::of(const TilingOperator& op) {
  return [this, &op](const NextPoint& next, const PointDone& done) { measure(op, next, done); };
}

}  // namespace tilewright
