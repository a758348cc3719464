// Measured costs of points: an operator and how to run it, by the one path to its cost, here or in worker processes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "planner/graph/operator_shape.h"
#include "planner/ir/tiling_point.h"
#include "planner/measure/measure.h"
#include "planner/measure/worker_pool.h"

namespace tilewright {

// A graph of one contraction as folded and fused, operator `op` of it.
struct TilingOperator {
  std::string key;  // what workers know it by
  Graph graph;
  OperatorId op = 0;
  DataType type = DataType::kBf16;
  PlanOptions asked;  // what a network's plan is told about cores, rounding and placement
  double share = 1;   // of the predictions that it would have by itself, what it has in its network
};
TilingOperator tiling_operator(const OperatorShape& shape);

// What to measure: a point; without one what the planner's formulas come to, refined or by themselves.
struct TriedPoint {
  std::optional<TilingPoint> point;
  bool refine =
      true;  // without a point: whether the planner refines the closed formulas' tiling (planner/passes/tile/refine.h)

  bool is_refined() const { return !point && refine; }
};

// The point, or whose own tiling it is.
std::string to_string(const TriedPoint& tried);

// What makes a plan of the operator run so.
PlanOptions options_of(const TilingOperator& op, const Hardware& hardware, const TriedPoint& point);

// The plan with its parts and tilings, as far as they are chosen: enough to look at a tiling. UserError when it does
// not fit.
Plan tiled_plan(const TilingOperator& op, const Hardware& hardware, const TriedPoint& point);

struct PointCost {
  std::optional<Cost> cost;
  std::string refusal;  // without a cost: why the planner or the chip refused the point
};

// Points as somebody decides on them; nothing: none before something more is measured, or for good.
using NextPoint = std::function<std::optional<TriedPoint>()>;
// Told the costs in the order of the points.
using PointDone = std::function<void(const PointCost& cost)>;
// Measures what `next` gives until it gives nothing and nothing is under way.
using MeasurePoints = std::function<void(const NextPoint& next, const PointDone& done)>;
std::vector<PointCost> measure_all(const MeasurePoints& measure, const std::vector<TriedPoint>& points);

// In this process, one after the other.
PointCost measure_point(Session& session, const TilingOperator& op, const TriedPoint& point);
MeasurePoints measured_by(Session& session, const TilingOperator& op);  // keeps references

// In worker processes, as many at once as there are processes. Operators given here, e.g. those of a network with their
// epilogues, are known to the workers by key; others only when their shape says everything.
class TilingMeasurer {
 public:
  TilingMeasurer(const Hardware& hardware, int jobs, std::vector<TilingOperator> operators = {});

  int jobs() const { return pool_.workers(); }
  // Of one operator, which must outlive it.
  MeasurePoints of(const TilingOperator& op);

 private:
  void measure(const TilingOperator& op, const NextPoint& next, const PointDone& done);

  WorkerPool pool_;
};

}  // namespace tilewright
