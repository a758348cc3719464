// On which cores the parts of a grid lie whose operands go from core to core (ir/hand_on.h): those that take from each
// other near each other.
#pragma once

#include <vector>

#include "planner/ir/plan.h"
#include "sim/machine/network/network_routes.h"

namespace tilewright {

class ChainPlaces {
 public:
  // `cores`: of the chip, from the first on.
  ChainPlaces(const Hardware& hardware, int cores);

  // What moves from a part to the next of its row (of A) and of its column (of B), any unit.
  struct Moved {
    double a = 0, b = 0;
  };
  // The parts of `split`, row by row, with other cores: row by row or column by column along the cores by their numbers
  // or along walk(), whichever way the operands pass the fewest routers.
  Split placed(Split split, std::int64_t rows, std::int64_t columns, const Moved& moved) const;
  // All cores from the first on, each followed by the nearest of those that are left.
  const std::vector<int>& walk() const { return walk_; }

 private:
  double distance(int from, int to) const;
  double way(const std::vector<int>& cores, std::int64_t rows, std::int64_t columns, const Moved& moved) const;

  const Hardware& hardware_;
  const NetworkRoutes routes_;
  std::vector<int> numbers_, walk_;
};

}  // namespace tilewright
