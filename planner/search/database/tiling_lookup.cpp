#include "planner/search/database/tiling_lookup.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "planner/passes/tile/tiling_choice.h"
#include "sim/base/error.h"
#include "sim/base/units.h"

namespace tilewright {
namespace {

RecordKind kind_of(MatchKind match) {
  const bool initial = match == MatchKind::kInitialSame || match == MatchKind::kInitialMultiple;
  return initial ? RecordKind::kInitial : RecordKind::kBoundary;
}

bool is_same(MatchKind match) { return match == MatchKind::kInitialSame || match == MatchKind::kBoundarySame; }

double rounds(std::int64_t extent, std::int64_t granule) { return static_cast<double>(ceil_div(extent, granule)); }

// Cost added by one more entry's worth of rounds, over the entry's cost: 1 when all of it grows. Found by doubling.
double slope(double growth, std::int64_t entry, std::int64_t granule) {
  const double doubled = rounds(2 * entry, granule) / rounds(entry, granule);
  return (growth * doubled - 1) / (doubled - 1);
}

// Cost over the proportional cost when the extents grow to `grown`. The part of the cost that does not grow with an
// extent is mostly the same one for every extent (launch, first loads, last stores), so the largest of these parts
// counts, not their sum; likewise what grows faster than the size. 0 where the growth was not measured.
double grown_linearity(const TilingRecord& record, const ShapeExtents& entry, const ShapeExtents& grown,
                       const ShapeExtents& granules) {
  double fixed = 0, excess = 0;
  for (std::size_t i = 0; i < entry.size(); ++i) {
    const double factor = rounds(grown[i], granules[i]) / rounds(entry[i], granules[i]);
    if (factor == 1) continue;
    const double growth = 1e-6 * static_cast<double>(record.growth_ppm.at(i));
    if (growth == 0) return 0;
    const double residual = (slope(growth, entry[i], granules[i]) - 1) * (1 - 1 / factor);
    fixed = std::min(fixed, residual);
    excess = std::max(excess, residual);
  }
  return 1 + fixed + excess;
}

// `growth`: size of the shape over that of the record.
bool in_linear_region(const Hit& hit, double growth, const LookupOptions& options) {
  const double partly_filled = std::abs(hit.rounds / growth - 1);
  const double beyond_measured = std::max(0.0, std::log2(hit.rounds) - 1) * options.extrapolation;
  return partly_filled + std::abs(hit.linearity - 1) + beyond_measured <= options.region_tolerance;
}

}  // namespace

std::string_view name_of(MatchKind kind) {
  constexpr std::array<std::string_view, kMatchKindCount> kNames{"initial", "boundary", "multiple of initial",
                                                                 "multiple of boundary"};
  return kNames[static_cast<std::size_t>(kind)];
}

double Hit::value(Objective objective) const {
  return objective == Objective::kCycles ? cycles : objective == Objective::kEnergy ? energy_pj : cycles * energy_pj;
}

double rounds_ratio(const ShapeExtents& query, const ShapeExtents& entry, const ShapeExtents& granules) {
  double ratio = 1;
  for (std::size_t i = 0; i < entry.size(); ++i) ratio *= rounds(query[i], granules[i]) / rounds(entry[i], granules[i]);
  return ratio;
}

std::optional<ShapeExtents> pad_to_multiple(const ShapeExtents& query, const ShapeExtents& entry,
                                            const ShapeExtents& granules) {
  ShapeExtents padded = query;
  for (std::size_t i = 0; i < entry.size(); ++i) {
    if (padded[i] % entry[i] == 0) continue;
    padded[i] = round_up(padded[i], granules[i]);
    if (padded[i] % entry[i] != 0) return {};
  }
  return padded;
}

Fits fitting(const Graph& graph, OperatorId op, const Hardware& hardware, DataType type) {
  return [&graph, op, &hardware, type](const TilingRecord& record) {
    return check_choice(choice_of(record.point, graph, op, hardware, type), graph, hardware, type).empty();
  };
}

TilingIndex::TilingIndex(std::vector<TilingRecord> records, const TilingContext& context)
    : objective_(context.objective), records_(std::move(records)) {
  std::erase_if(records_, [&](const TilingRecord& record) { return record.context != context; });
  std::sort(records_.begin(), records_.end());
  for (const TilingRecord& record : records_) {
    Entry entry{&record, extents_of(record.shape), granules_of(record.point, record.shape)};
    SIM_CHECK(record.growth_ppm.size() == entry.extents.size(), "record '{}' has {} growth figures",
              to_string(record.shape), record.growth_ppm.size());
    families_[family_of(record.shape)].push_back(std::move(entry));
  }
}

std::optional<Hit> TilingIndex::try_entry(const Entry& entry, MatchKind match, const OperatorShape& shape,
                                          const ShapeExtents& extents, const LookupOptions& options) const {
  if (entry.record->kind != kind_of(match)) return {};
  if (is_same(match) && entry.record->shape.dims != shape.dims) return {};
  const auto padded = pad_to_multiple(extents, entry.extents, entry.granules);
  if (!padded) return {};
  Hit hit{.record = entry.record, .match = match, .padded = *padded};
  hit.padding = size_of(*padded) / size_of(extents) - 1;
  if (hit.padding > options.max_padding) return {};
  hit.rounds = rounds_ratio(*padded, entry.extents, entry.granules);
  hit.cycles = hit.rounds * static_cast<double>(entry.record->cost.cycles);
  hit.energy_pj = hit.rounds * static_cast<double>(entry.record->cost.energy_pj);
  hit.linearity = grown_linearity(*entry.record, entry.extents, *padded, entry.granules);
  hit.linear = in_linear_region(hit, size_of(extents) / size_of(entry.extents), options);
  return hit;
}

std::optional<Hit> TilingIndex::lookup(const OperatorShape& shape, const LookupOptions& options,
                                       const Fits& fits) const {
  const auto family = families_.find(family_of(shape));
  if (family == families_.end()) return {};
  const ShapeExtents extents = extents_of(shape);
  for (int step = 0; step < kMatchKindCount; ++step) {
    std::optional<Hit> best;
    for (const Entry& entry : family->second) {
      auto hit = try_entry(entry, static_cast<MatchKind>(step), shape, extents, options);
      const bool better = hit && (!best || hit->value(objective_) < best->value(objective_));
      if (better && (!fits || fits(*hit->record))) best = std::move(hit);
    }
    if (best) return best;
  }
  return {};
}

}  // namespace tilewright
