#include "planner/ir/tiling_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "planner/ir/directions.h"
#include "sim/base/distinct.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

const char* order_name(bool rowmajor) { return rowmajor ? "mn" : "nm"; }

std::int64_t distinct_ranges(const Split& split, std::size_t dimension) {
  std::vector<std::int64_t> begins;
  for (const WorkItem& item : split.items) begins.push_back(item.output[dimension].begin);
  keep_distinct(begins);
  return std::ssize(begins);
}

bool is_positive(const TilingPoint& p) {
  return std::min({p.parts_batch, p.parts_m, p.parts_n, p.partition_m, p.partition_n, p.partition_k, p.tile_m,
                   p.tile_n}) > 0;
}

}  // namespace

std::string to_string(const TilingPoint& p) {
  return fmt::format("parts {}x{}x{} partition {}x{}x{} tile {}x{} order {}/{} hold {}", p.parts_batch, p.parts_m,
                     p.parts_n, p.partition_m, p.partition_n, p.partition_k, p.tile_m, p.tile_n,
                     order_name(p.outer_rowmajor), order_name(p.inner_rowmajor), p.a_stationary ? 'a' : 'b');
}

TilingPoint parse_tiling_point(std::string_view text, const std::string& where) {
  TilingPoint p;
  long long v[8] = {};
  char outer[3] = {}, inner[3] = {}, hold = 0;
  std::sscanf(std::string(text).c_str(),
              "parts %lldx%lldx%lld partition %lldx%lldx%lld tile %lldx%lld order %2[mn]/%2[mn] hold %c", &v[0], &v[1],
              &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], outer, inner, &hold);
  p = {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
  p.outer_rowmajor = std::string_view(outer) == "mn";
  p.inner_rowmajor = std::string_view(inner) == "mn";
  p.a_stationary = hold == 'a';
  if (to_string(p) != text || !is_positive(p))
    throw UserError(where, fmt::format("got '{}', expected e.g. '{}'", text,
                                       "parts 1x4x2 partition 96x256x1024 tile 48x64 order mn/nm hold b"));
  return p;
}

Split split_of(const TilingPoint& point, const Plan& plan, const Operator& op) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  const Directions at = directions_of(plan, op);
  std::vector<std::int64_t> parts(out.size(), 1), granule(out.size(), 1);
  granule[at.m] = at.granule_m;
  if (at.batch < out.size()) parts[at.batch] = std::min(point.parts_batch, out[at.batch]);
  parts[at.m] = std::min(point.parts_m, out[at.m] / at.granule_m);
  parts[at.n] = std::min(point.parts_n, out[at.n]);
  Split split;
  split.reason = fmt::format("parts {}", fmt::join(parts, "x"));
  int core = 0;
  for (BoxRange& box : cut_grid(out, parts, granule)) split.items.push_back({core++, std::move(box)});
  return split;
}

std::size_t largest_item(const Split& split) {
  auto elements = [](const WorkItem& item) {
    std::int64_t count = 1;
    for (const Range& range : item.output) count *= range.size();
    return count;
  };
  const auto smaller = [&](const WorkItem& a, const WorkItem& b) { return elements(a) < elements(b); };
  return static_cast<std::size_t>(std::max_element(split.items.begin(), split.items.end(), smaller) -
                                  split.items.begin());
}

Tiling tiling_of(const TilingPoint& point, const GemmShape& shape, const TilingLimits& limits) {
  const std::int64_t kernel = shape.conv ? shape.conv->kernel() : 1;
  Tiling t;
  t.partition_m = std::min(point.partition_m, shape.m);
  t.partition_n = std::min(point.partition_n, shape.n);
  t.partition_k = std::min(round_up(point.partition_k, kernel), shape.k);
  t.tile_m = std::min(point.tile_m, t.partition_m);
  t.tile_n = std::min(point.tile_n, t.partition_n);
  t.outer_rowmajor = point.outer_rowmajor;
  t.inner_rowmajor = point.inner_rowmajor;
  t.a_stationary = point.a_stationary;
  t.reason = "chosen";
  derive(t, shape, limits);
  return t;
}

TilingPoint point_of(const Plan& plan, OperatorId id) {
  const OperatorPlan& planned = plan.operators[id];
  const Directions at = directions_of(plan, plan.graph.op(id));
  SIM_CHECK(!planned.tilings.empty(), "'{}' has no tiling", plan.graph.op(id).name);
  const Tiling& t = planned.tilings[largest_item(planned.split)];
  TilingPoint p;
  if (at.batch < planned.split.items[0].output.size()) p.parts_batch = distinct_ranges(planned.split, at.batch);
  p.parts_m = distinct_ranges(planned.split, at.m);
  p.parts_n = distinct_ranges(planned.split, at.n);
  p.partition_m = t.partition_m, p.partition_n = t.partition_n, p.partition_k = t.partition_k;
  p.tile_m = t.tile_m, p.tile_n = t.tile_n;
  p.outer_rowmajor = t.outer_rowmajor, p.inner_rowmajor = t.inner_rowmajor, p.a_stationary = t.a_stationary;
  return p;
}

}  // namespace tilewright
