#include <algorithm>

#include "planner/emit/copy/plan_copy.h"

namespace tilewright {

CopyBound copy_bound(const CopySide& from, const CopySide& to) {
  CopyBound bound;
  std::vector<std::int64_t> source;  // of each place of the output
  const auto set = [](std::vector<bool>& places, std::size_t place) {
    if (place >= places.size()) places.resize(place + 1, false);
    places[place] = true;
  };
  std::vector<std::int64_t> x(to.view.shape.size(), 0);
  do {
    const auto place = static_cast<std::size_t>(to.place_of(x)), origin = static_cast<std::size_t>(from.place_of(x));
    set(bound.writes, place);
    set(bound.reads, origin);
    source.resize(bound.writes.size());
    source[place] = static_cast<std::int64_t>(origin);
  } while (next_coordinate(to.view.shape, x));
  for (std::size_t i = 0; i < source.size(); ++i)
    bound.runs += bound.writes[i] && (i == 0 || !bound.writes[i - 1] || source[i - 1] + 1 != source[i]);
  bound.read = std::count(bound.reads.begin(), bound.reads.end(), true);
  bound.written = std::count(bound.writes.begin(), bound.writes.end(), true);
  return bound;
}

}  // namespace tilewright
