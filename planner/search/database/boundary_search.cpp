#include "planner/search/database/boundary_search.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <set>

#include "planner/search/database/database_worker.h"
#include "sim/base/units.h"

namespace tilewright {
namespace {

// A measured cost, or that the tiling does not fit.
struct KnownCost {
  std::optional<Cost> cost;
};

struct Node {
  OperatorShape shape;
  TilingPoint point;
  Cost cost;
  std::string broke;
};

struct Step {
  std::size_t from = 0, extent = 0;
  OperatorShape smaller;
  TilingPoint point;
  double size_ratio = 1;
};

// Half the rounds of an extent; where there is only one, half of that.
std::int64_t half(std::int64_t extent, std::int64_t granule) {
  const std::int64_t rounds = ceil_div(extent, granule);
  return rounds > 1 ? ceil_div<std::int64_t>(rounds, 2) * granule : ceil_div<std::int64_t>(extent, 2);
}

class ShapeSearch {
 public:
  ShapeSearch(const OperatorShape& shape, const TilingContext& context, const BuildOptions& options,
              const Answers& answers)
      : shape_(shape), context_(context), options_(options), answers_(answers) {}

  ShapeRecords run() {
    const std::string query = search_query(shape_, context_.objective, options_.budget, options_.seeds.of(shape_));
    const auto answer = answers_.find(query);
    if (answer == answers_.end()) return {.wanted = {query}};
    if (is_refusal(answer->second)) return {ShapeRecords::State::kNotTiled, {}, {}};
    const FoundTiling found = found_tiling(answer->second);
    if (static_cast<double>(found.bound_cycles) < options_.threshold * static_cast<double>(found.cost.cycles))
      return {ShapeRecords::State::kBelowThreshold, {}, {}};
    bound_cycles_ = found.bound_cycles;
    nodes_.push_back({shape_, cut_to(found.point, shape_), found.cost, ""});
    if (const auto cost = cost_of(shape_, nodes_[0].point); cost && cost->cost) nodes_[0].cost = *cost->cost;
    if (wanted_.empty()) explore();
    std::vector<TilingRecord> records;
    if (wanted_.empty()) records = make_records();
    if (!wanted_.empty()) return {.wanted = {wanted_.begin(), wanted_.end()}};
    return {ShapeRecords::State::kEntered, {}, std::move(records)};
  }

 private:
  double value(const Cost& cost) const { return value_of(cost, context_.objective); }

  // Nothing when it must be asked first.
  std::optional<KnownCost> cost_of(const OperatorShape& shape, const TilingPoint& point) {
    const std::string query = measure_query(shape, point);
    const auto answer = answers_.find(query);
    if (answer == answers_.end()) {
      wanted_.insert(query);
      return {};
    }
    if (is_refusal(answer->second)) return KnownCost{};
    return KnownCost{measured_cost(answer->second)};
  }

  std::vector<Step> steps_of(std::size_t from) const {
    const Node& node = nodes_[from];
    const ShapeExtents extents = extents_of(node.shape), granules = granules_of(node.point, node.shape);
    std::vector<Step> steps;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      ShapeExtents smaller = extents;
      smaller[i] = half(extents[i], granules[i]);
      if (smaller[i] >= extents[i]) continue;
      Step step{from, i, with_extents(node.shape, smaller), {}, size_of(extents) / size_of(smaller)};
      if (family_of(step.smaller) != family_of(node.shape)) continue;  // the last of several groups
      step.point = cut_to(node.point, step.smaller);
      steps.push_back(std::move(step));
    }
    return steps;
  }

  std::string describe(const Step& step, const std::string& why) const {
    const ShapeExtents from = extents_of(nodes_[step.from].shape), to = extents_of(step.smaller);
    return fmt::format("{} {} -> {}: {}", extent_names(shape_)[step.extent], from[step.extent], to[step.extent], why);
  }

  // Why the step is not linear; empty when it is. All costs it looks at are known.
  std::string fault_of(const Step& step) {
    const Node& node = nodes_[step.from];
    const auto small = cost_of(step.smaller, step.point), large = cost_of(node.shape, step.point);
    if (!small || !large) return "";
    if (!small->cost || !large->cost) return describe(step, "the tiling does not fit");
    for (const Cost& cost : {node.cost, *large->cost}) {
      const double ratio = value(cost) / value(*small->cost);
      // Energy and time both shrink with the size, so their product shrinks with its square.
      const double wanted = context_.objective == Objective::kEdp ? step.size_ratio * step.size_ratio : step.size_ratio;
      if (std::abs(ratio / wanted - 1) > options_.tolerance)
        return describe(step, fmt::format("size ratio {:.4f}, cost ratio {:.4f}", wanted, ratio));
    }
    return "";
  }

  // All shapes that are linear, wave by wave; stops where answers are missing.
  void explore() {
    std::set<ShapeExtents> visited{extents_of(shape_)};
    for (std::size_t begin = 0; begin < nodes_.size();) {
      const std::size_t end = nodes_.size();
      std::vector<Step> steps;
      for (std::size_t from = begin; from < end; ++from)
        for (Step& step : steps_of(from)) steps.push_back(std::move(step));
      std::vector<std::string> faults;
      for (const Step& step : steps) faults.push_back(fault_of(step));
      if (!wanted_.empty()) return;
      for (std::size_t i = 0; i < steps.size(); ++i) take(steps[i], faults[i], visited);
      begin = end;
    }
  }

  void take(const Step& step, const std::string& fault, std::set<ShapeExtents>& visited) {
    Node& node = nodes_[step.from];
    if (!fault.empty()) {
      if (node.broke.empty()) node.broke = fault;
      return;
    }
    if (std::ssize(visited) >= options_.max_visits) return;
    if (!visited.insert(extents_of(step.smaller)).second) return;
    nodes_.push_back({step.smaller, step.point, *cost_of(step.smaller, step.point)->cost, ""});
  }

  // How the cost grows when extent `i` doubles, over its rounds' growth; 0 when the tiling does not fit that.
  std::int64_t growth(const Node& node, std::size_t i) {
    const ShapeExtents extents = extents_of(node.shape), granules = granules_of(node.point, node.shape);
    ShapeExtents doubled = extents;
    doubled[i] *= 2;
    const auto known = cost_of(with_extents(node.shape, doubled), node.point);
    if (!known || !known->cost) return 0;
    const double rounds =
        static_cast<double>(ceil_div(doubled[i], granules[i])) / static_cast<double>(ceil_div(extents[i], granules[i]));
    return std::llround(1e6 * static_cast<double>(known->cost->cycles) / static_cast<double>(node.cost.cycles) /
                        rounds);
  }

  TilingRecord record_of(const Node& node, bool initial) {
    TilingRecord record{.context = context_,
                        .shape = node.shape,
                        .point = node.point,
                        .cost = node.cost,
                        .settings = settings_of(options_, shape_)};
    if (!initial) {
      record.kind = RecordKind::kBoundary;
      record.parent = to_string(shape_);
      record.broke = node.broke;
    }
    record.bound_cycles = initial ? bound_cycles_ : 0;
    for (std::size_t i = 0; i < extents_of(node.shape).size(); ++i) record.growth_ppm.push_back(growth(node, i));
    return record;
  }

  // The smallest boundary shapes serve most queries: they are kept first.
  std::vector<TilingRecord> make_records() {
    std::vector<TilingRecord> records{record_of(nodes_[0], true)};
    for (std::size_t i = nodes_.size(); i-- > 1;) {
      if (nodes_[i].broke.empty()) continue;
      if (std::ssize(records) > options_.max_boundary) break;
      records.push_back(record_of(nodes_[i], false));
    }
    return records;
  }

  const OperatorShape& shape_;
  const TilingContext& context_;
  const BuildOptions& options_;
  const Answers& answers_;
  Cycles bound_cycles_ = 0;
  std::vector<Node> nodes_;
  std::set<std::string> wanted_;
};

}  // namespace

std::string to_string(const BuildOptions& o) {
  return fmt::format("threshold {} tolerance {} budget {} visits {} boundary {}", o.threshold, o.tolerance, o.budget,
                     o.max_visits, o.max_boundary);
}

std::string settings_of(const BuildOptions& options, const OperatorShape& shape) {
  const std::string text = to_string(options);
  return options.seeds.of(shape).empty() ? text : fmt::format("{} seeds {:016x}", text, options.seeds.source);
}

ShapeRecords shape_records(const OperatorShape& shape, const TilingContext& context, const BuildOptions& options,
                           const Answers& answers) {
  return ShapeSearch(shape, context, options, answers).run();
}

}  // namespace tilewright
