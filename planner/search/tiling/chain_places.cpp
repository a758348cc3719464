#include "planner/search/tiling/chain_places.h"

#include <algorithm>
#include <numeric>

namespace tilewright {
namespace {

// By part, row by row: the cores that `order` gives to the parts column by column.
std::vector<int> by_columns(const std::vector<int>& order, std::int64_t rows, std::int64_t columns) {
  std::vector<int> cores;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column) cores.push_back(order[column * rows + row]);
  return cores;
}

}  // namespace

ChainPlaces::ChainPlaces(const Hardware& hardware, int cores)
    : hardware_(hardware), routes_(hardware.network), numbers_(cores) {
  std::iota(numbers_.begin(), numbers_.end(), 0);
  std::vector<int> left = numbers_;
  for (auto next = left.begin(); !left.empty();
       next = std::ranges::min_element(left, {}, [&](int core) { return distance(walk_.back(), core); })) {
    walk_.push_back(*next);
    left.erase(next);
  }
}

double ChainPlaces::distance(int from, int to) const {
  const NetworkSpec& network = hardware_.network;
  const auto terminal = [&](int core) { return network.cluster_terminal(hardware_.cluster_of(core), 0); };
  return terminal(from) == terminal(to) ? 0 : routes_.routers_passed(terminal(from), terminal(to));
}

double ChainPlaces::way(const std::vector<int>& cores, std::int64_t rows, std::int64_t columns,
                        const Moved& moved) const {
  double way = 0;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    if ((i + 1) % columns != 0) way += moved.a * distance(cores[i], cores[i + 1]);
    if (i + columns < rows * columns) way += moved.b * distance(cores[i], cores[i + columns]);
  }
  return way;
}

Split ChainPlaces::placed(Split split, std::int64_t rows, std::int64_t columns, const Moved& moved) const {
  const std::vector<std::vector<int>> places{numbers_, by_columns(numbers_, rows, columns), walk_,
                                             by_columns(walk_, rows, columns)};
  const auto& best =
      *std::ranges::min_element(places, {}, [&](const auto& cores) { return way(cores, rows, columns, moved); });
  for (std::size_t i = 0; i < split.items.size(); ++i) split.items[i].core = best[i];
  return split;
}

}  // namespace tilewright
