#include "planner/search/database/tiling_seeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sim/base/hash.h"

namespace tilewright {
namespace {

std::uint64_t identity_of(const TilingRecord& record) {
  return fnv1a(fmt::format("{} {} {} {} {} {}", record.context.hardware, record.context.simulator,
                           name_of(record.context.objective), name_of(record.kind), to_string(record.shape),
                           to_string(record.point)));
}

void sort_best_first(std::vector<TilingRecord>& records, Objective objective) {
  const auto rank = [&](const TilingRecord& record) {
    return std::tuple(record.context.objective != objective, record.kind != RecordKind::kInitial,
                      record.context.simulator != simulator_version());
  };
  std::sort(records.begin(), records.end(), [&](const TilingRecord& a, const TilingRecord& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : a < b;
  });
}

std::vector<TilingPoint> first_points(const std::vector<TilingRecord>& records) {
  std::vector<TilingPoint> points;
  for (const TilingRecord& record : records) {
    if (points.size() == kMostSeeds) break;
    if (std::find(points.begin(), points.end(), record.point) == points.end()) points.push_back(record.point);
  }
  return points;
}

}  // namespace

const std::vector<TilingPoint>& TilingSeeds::of(const OperatorShape& shape) const {
  static const std::vector<TilingPoint> kNone;
  const auto found = points.find(to_string(shape));
  return found == points.end() ? kNone : found->second;
}

TilingSeeds seeds_of(const TilingDatabase& other, const std::vector<OperatorShape>& shapes, Objective objective) {
  std::map<std::string, std::vector<TilingRecord>> records;
  for (const OperatorShape& shape : shapes) records[to_string(shape)];
  TilingSeeds seeds;
  other.visit([&](const TilingRecord& record) {
    seeds.source += identity_of(record);  // a sum: they come in any order
    const auto asked = records.find(to_string(record.shape));
    if (asked != records.end()) asked->second.push_back(record);
  });
  for (auto& [shape, found] : records) {
    sort_best_first(found, objective);
    if (!found.empty()) seeds.points[shape] = first_points(found);
  }
  return seeds;
}

}  // namespace tilewright
