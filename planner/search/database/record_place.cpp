#include "planner/search/database/record_place.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "sim/base/error.h"
#include "sim/base/units.h"

namespace tilewright {
namespace {

constexpr double kRateUnit = 1e12, kMaxRate = 9e18;

// Energy and time both grow with the work, so their product grows with its square.
double work(double size, Objective objective) { return objective == Objective::kEdp ? size * size : size; }

std::string extents_text(const ShapeExtents& extents) { return fmt::format("{}", fmt::join(extents, "_")); }

std::vector<std::string> place_texts(const RecordPlace& place) {
  return {place.family, place.cell, extents_text(place.extents), extents_text(place.granules),
          fmt::format("{}", place.rate)};
}

char letter_of(std::int64_t extent) {
  return static_cast<char>('a' +
                           (std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1))) - 1) / 2);
}

}  // namespace

std::string cell_of(const ShapeExtents& extents) {
  std::string cell;
  for (const std::int64_t extent : extents) cell += letter_of(extent);
  return cell;
}

bool within(const std::string& cell, const std::string& other) {
  for (std::size_t i = 0; i < cell.size(); ++i)
    if (cell[i] > other.at(i)) return false;
  return true;
}

RecordPlace place_of(const TilingRecord& record) {
  RecordPlace place{.family = family_of(record.shape),
                    .extents = extents_of(record.shape),
                    .granules = granules_of(record.point, record.shape)};
  place.cell = cell_of(place.extents);
  const Objective objective = record.context.objective;
  const double rate = value_of(record.cost, objective) / work(padded_size(place.extents, place.granules), objective);
  place.rate = static_cast<std::int64_t>(std::floor(std::min(rate * kRateUnit, kMaxRate)));
  return place;
}

double rate_bound(std::int64_t rate, double size, Objective objective) {
  return static_cast<double>(rate) / kRateUnit * work(size, objective);
}

const std::vector<std::string>& place_columns() {
  static const std::vector<std::string> kNames{"family", "cell", "extents", "granules", "rate"};
  return kNames;
}

std::vector<std::string> row_texts(const TilingRecord& record) {
  std::vector<std::string> texts = record_texts(record), place = place_texts(place_of(record));
  texts.insert(texts.end(), place.begin(), place.end());
  return texts;
}

TilingRecord record_from_row(const std::vector<std::string>& texts, const std::string& where) {
  const auto columns = static_cast<std::ptrdiff_t>(std::min(record_columns().size(), texts.size()));
  TilingRecord record = record_from_texts({texts.begin(), texts.begin() + columns}, where);
  const std::vector<std::string> place = place_texts(place_of(record));
  if (!std::equal(texts.begin() + columns, texts.end(), place.begin(), place.end()))
    throw UserError(where, fmt::format("record '{}' does not stand in its place: damaged", to_string(record.shape)));
  return record;
}

void read_extents(std::string_view text, const std::string& where, ShapeExtents& extents) {
  extents.clear();
  for (const char *at = text.data(), *end = at + text.size(); at < end;) {
    std::int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent < 1 || (next != end && *next != '_'))
      throw UserError(where, fmt::format("got '{}', expected extents", text));
    extents.push_back(extent);
    at = next + 1;
  }
}

}  // namespace tilewright
