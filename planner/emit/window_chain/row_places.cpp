#include "planner/emit/window_chain/row_places.h"

#include <algorithm>
#include <limits>

namespace tilewright {
namespace {

// Behind the block before it, over what it keeps of that.
std::optional<RowPlace> next_place(const RowNeed& need, const RowNeed& before, const RowPlace& last,
                                   std::int64_t length) {
  RowPlace place{need.rows, last.at + last.rows.size()};
  if (need.image == before.image && need.rows.begin < last.rows.end) {
    place.at = place.kept_at = last.position(need.rows.begin);
    place.kept = std::min(last.rows.end, need.rows.end) - need.rows.begin;
  }
  if (place.at + need.rows.size() <= length) return place;
  place.at = 0;
  return need.rows.size() <= last.at ? std::optional(place) : std::nullopt;
}

}  // namespace

std::optional<std::vector<RowPlace>> place_rows(const std::vector<RowNeed>& needs, std::int64_t length) {
  std::vector<RowPlace> places;
  std::optional<std::size_t> last;  // that makes something
  for (std::size_t i = 0; i < needs.size(); ++i) {
    places.push_back({needs[i].rows});
    if (needs[i].rows.size() == 0) continue;
    if (needs[i].rows.size() > length) return std::nullopt;
    if (last) {
      const auto place = next_place(needs[i], needs[*last], places[*last], length);
      if (!place) return std::nullopt;
      places.back() = *place;
    }
    last = i;
  }
  return places;
}

std::int64_t whole_length(const std::vector<RowNeed>& needs) {
  const auto places = place_rows(needs, std::numeric_limits<std::int64_t>::max());
  std::int64_t length = 1;
  for (const RowPlace& place : *places) length = std::max(length, place.at + place.rows.size());
  return length;
}

std::int64_t least_length(const std::vector<RowNeed>& needs) {
  std::int64_t length = 1;
  for (const RowNeed& need : needs) length = std::max(length, need.rows.size());
  while (!place_rows(needs, length)) ++length;
  return length;
}

}  // namespace tilewright
