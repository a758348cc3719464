#include "planner/search/database/tiling_lookup.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "planner/passes/tile/tiling_choice.h"
#include "planner/search/database/hit_prediction.h"
#include "planner/search/tiling/tiling_measurer.h"
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

// Of the two ways of predicting, as a share.
double disagreement(const Hit& hit) { return std::abs(std::log(hit.predicted.cycles / hit.proportional.cycles)); }

// Grows with what the two ways of predicting disagree about, with the distance from the record and with padding.
double error_bound_of(const Hit& hit) {
  const Constants& c = constants();
  if (hit.rounds == 1 && hit.padding == 0) return 0;  // the record's own shape
  return c.database_error_least + disagreement(hit) + c.database_error_doubling * std::max(0.0, std::log2(hit.rounds)) +
         c.database_error_padding * hit.padding;
}

}  // namespace

std::string_view name_of(MatchKind kind) {
  constexpr std::array<std::string_view, kMatchKindCount> kNames{"initial", "boundary", "multiple of initial",
                                                                 "multiple of boundary"};
  return kNames[static_cast<std::size_t>(kind)];
}

double PredictedCost::value(Objective objective) const {
  return objective == Objective::kCycles ? cycles : objective == Objective::kEnergy ? energy_pj : cycles * energy_pj;
}

std::optional<double> Hit::bound(Objective objective) const {
  if (objective == Objective::kCycles) return error_bound;
  if (objective == Objective::kEnergy || !energy_error_bound) return energy_error_bound;
  return (1 + error_bound) * (1 + *energy_error_bound) - 1;
}

double rounds_ratio(const ShapeExtents& query, const ShapeExtents& entry, const ShapeExtents& granules) {
  double ratio = 1;
  for (std::size_t i = 0; i < entry.size(); ++i) ratio *= rounds(query[i], granules[i]) / rounds(entry[i], granules[i]);
  return ratio;
}

std::optional<ShapeExtents> pad_to_granules(const ShapeExtents& query, const ShapeExtents& entry,
                                            const ShapeExtents& granules) {
  ShapeExtents padded = query;
  for (std::size_t i = 0; i < entry.size(); ++i) {
    if (padded[i] % entry[i] == 0) continue;
    padded[i] = round_up(padded[i], granules[i]);
    if (rounds(padded[i], granules[i]) < rounds(entry[i], granules[i])) return {};
  }
  return padded;
}

namespace {

// The cheapest candidates so far, cheapest first.
class Shortlist {
 public:
  Shortlist(std::int64_t most, Objective objective) : most_(static_cast<std::size_t>(most)), objective_(objective) {}

  // Whether one of at least this predicted value can still enter.
  bool takes(double value) const { return hits_.size() < most_ || value < value_of(hits_.back()); }
  void add(Hit hit) {
    const auto behind = [&](double value, const Hit& other) { return value < value_of(other); };
    hits_.insert(std::upper_bound(hits_.begin(), hits_.end(), value_of(hit), behind), std::move(hit));
    if (hits_.size() > most_) hits_.pop_back();
  }
  std::vector<Hit> hits() && { return std::move(hits_); }

 private:
  double value_of(const Hit& hit) const { return hit.proportional.value(objective_); }

  const std::size_t most_;
  const Objective objective_;
  std::vector<Hit> hits_;
};

}  // namespace

struct TilingIndex::Query {
  const OperatorShape& shape;
  const LookupOptions& options;
  const TilingTransfer* transfer;
  std::string family = family_of(shape);
  ShapeExtents extents = extents_of(shape);

  // Nothing when an entry of these extents and granules cannot serve this shape, or not without too much padding.
  std::optional<ShapeExtents> padded(const ShapeExtents& entry, const ShapeExtents& granules) const {
    auto padded = pad_to_granules(extents, entry, granules);
    if (!padded || size_of(*padded) / size_of(extents) - 1 > options.max_padding) return {};
    return padded;
  }

  Hit hit(TilingRecord record, MatchKind match, const ShapeExtents& padded) const {
    const ShapeExtents entry = extents_of(record.shape), granules = granules_of(record.point, record.shape);
    Hit hit{.match = match, .padded = padded};
    hit.padding = size_of(padded) / size_of(extents) - 1;
    hit.rounds = rounds_ratio(padded, entry, granules);
    hit.proportional = {hit.rounds * static_cast<double>(record.cost.cycles),
                        hit.rounds * static_cast<double>(record.cost.energy_pj)};
    hit.predicted = hit.proportional;
    hit.linearity = grown_linearity(record, entry, padded, granules);
    hit.linear = in_linear_region(hit, size_of(extents) / size_of(entry), options);
    hit.record = std::make_shared<const TilingRecord>(std::move(record));
    return hit;
  }

  bool fits(const Hit& hit) const { return !transfer || transfer->fits(*hit.record); }
};

TilingIndex::TilingIndex(std::shared_ptr<const TilingDatabase> database, const TilingContext& context)
    : objective_(context.objective), records_(std::move(database), context) {}

TilingIndex::TilingIndex(const std::vector<TilingRecord>& records, const TilingContext& context)
    : TilingIndex(
          [&] {
            auto database = std::make_shared<TilingDatabase>(":memory:", TilingDatabase::Mode::kWrite);
            database->put(records);
            return database;
          }(),
          context) {}

std::vector<Hit> TilingIndex::same(const Query& query, MatchKind match) const {
  Shortlist list(query.options.candidates, objective_);
  for (TilingRecord& record : records_.same(query.shape, kind_of(match))) {
    const auto padded = query.padded(extents_of(record.shape), granules_of(record.point, record.shape));
    SIM_CHECK(padded, "'{}' does not serve itself", to_string(record.shape));
    if (Hit hit = query.hit(std::move(record), match, *padded); query.fits(hit)) list.add(std::move(hit));
  }
  return std::move(list).hits();
}

// Cells by the least that one of their records could predict, records of a cell likewise: as soon as that is no less
// than what the shortlist has, nothing behind it can enter.
std::vector<Hit> TilingIndex::multiples(const Query& query, MatchKind match) const {
  const double size = size_of(query.extents);
  ShapeExtents most = query.extents;  // no entry that serves is larger
  for (std::int64_t& extent : most)
    extent = static_cast<std::int64_t>(static_cast<double>(extent) * (1 + query.options.max_padding));
  std::vector<RecordCell> cells = records_.cells(query.family, most.size(), kind_of(match));
  std::erase_if(cells, [&, last = cell_of(most)](const RecordCell& cell) { return !within(cell.cell, last); });
  std::sort(cells.begin(), cells.end(), [](const auto& a, const auto& b) { return a.rate < b.rate; });
  Shortlist list(query.options.candidates, objective_);
  for (const RecordCell& cell : cells)
    records_.visit(query.family, kind_of(match), cell.cell, [&](const PlacedRecord& placed, const auto& read) {
      if (!list.takes(rate_bound(placed.rate, size, objective_))) return false;
      const auto padded = query.padded(placed.extents, placed.granules);
      if (!padded || !list.takes(rate_bound(placed.rate, size_of(*padded), objective_))) return true;
      if (Hit hit = query.hit(read(), match, *padded); query.fits(hit)) list.add(std::move(hit));
      return true;
    });
  return std::move(list).hits();
}

std::optional<Hit> TilingIndex::lookup(const OperatorShape& shape, const LookupOptions& options,
                                       const TilingTransfer* transfer) const {
  const Query query{shape, options, transfer};
  std::optional<Hit> hit;
  records_.at_once([&] { hit = first_hit(query); });
  return hit;
}

std::optional<Hit> TilingIndex::first_hit(const Query& query) const {
  for (int step = 0; step < kMatchKindCount; ++step) {
    const auto match = static_cast<MatchKind>(step);
    std::vector<Hit> hits = is_same(match) ? same(query, match) : multiples(query, match);
    if (hits.empty()) continue;
    if (!query.transfer) return hits.front();
    for (Hit& hit : hits) {
      const double growth = query.transfer->growth(*hit.record);
      hit.predicted = {growth * static_cast<double>(hit.record->cost.cycles),
                       transferred_energy_pj(query.transfer->chip(), *hit.record, hit.rounds, growth)};
      hit.error_bound = error_bound_of(hit);
      hit.linear = hit.linear && disagreement(hit) <= query.options.region_tolerance;
    }
    return *std::min_element(hits.begin(), hits.end(), [&](const Hit& a, const Hit& b) {
      return a.expected(objective_) < b.expected(objective_);
    });
  }
  return {};
}

std::optional<Hit> lookup_on(const TilingIndex& index, const OperatorShape& shape, const Hardware& hardware,
                             const LookupOptions& options) {
  const TilingOperator alone = tiling_operator(shape);
  const Plan plan = typed_plan(alone.graph, hardware, {.type = alone.type});
  const TilingTransfer transfer(plan, alone.op, shape);
  auto hit = index.lookup(shape, options, &transfer);
  return hit && options.predict ? queue_predicted(*std::move(hit), shape, hardware) : hit;
}

}  // namespace tilewright
