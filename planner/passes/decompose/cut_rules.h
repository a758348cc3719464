// What of an operator may be cut: dimensions of its output, and what of its operands goes with them.
#pragma once

#include <algorithm>

#include "planner/ir/plan.h"
#include "sim/base/units.h"

namespace tilewright {

// A dimension of the output of `size` positions that may be cut between `units` ranges of `unit` of them each, the last
// one maybe shorter.
struct CutRule {
  int dimension = 0;
  std::int64_t units = 1, unit = 1, size = 1;

  // Range of the output of part `index` of `parts`.
  Range range(std::int64_t index, std::int64_t parts) const {
    return {std::min(size, index * units / parts * unit), std::min(size, (index + 1) * units / parts * unit)};
  }
  std::int64_t largest(std::int64_t parts) const { return std::min(size, ceil_div(units, parts) * unit); }
};

// Positions that long dimensions are cut between: whole rows and columns of the matmul array.
std::int64_t cut_granule(const Hardware& hardware);

// In the order in which they lie in memory. None for operators that only pick or join elements.
std::vector<CutRule> cut_rules(const std::vector<Tensor>& tensors, const Operator& op, std::int64_t granule);

// Dimension of operand `index` (inputs, then epilogue operands) that is cut along with dimension `d` of the output; -1:
// the operand stays whole.
int cut_dimension(const std::vector<Tensor>& tensors, const Operator& op, std::size_t index, int d);

// Positions of that operand for a range of the output: the same, or as many channels more or fewer as a group has.
Range cut_range(const std::vector<Tensor>& tensors, const Operator& op, std::size_t index, int d, const Range& range);

}  // namespace tilewright
