// Which dimensions of an operator may be cut: what the strategies name for its operands, as far as the parallel mode
// goes and the operator can be cut at all.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

// Dimensions of the output that may be cut, and whether the reduction may.
struct Allowed {
  std::vector<bool> output;
  std::vector<bool> moved;  // dimensions along which elements come to lie elsewhere, where nothing else can be cut
  std::vector<const StrategyRow*> asked;  // by dimension: the row that asks for an exact number of pieces; null: none
  std::vector<std::ptrdiff_t> rank;       // priority, the lowest first
  bool reduction = false;
  const StrategyRow* reduction_asked = nullptr;
  std::ptrdiff_t reduction_rank = std::numeric_limits<std::ptrdiff_t>::max();

  explicit Allowed(std::size_t dimensions)
      : output(dimensions, false),
        moved(dimensions, false),
        asked(dimensions, nullptr),
        rank(dimensions, std::numeric_limits<std::ptrdiff_t>::max()) {}
  // Dimensions of the output by priority, those of equal priority by position.
  std::vector<std::size_t> order() const;
};

// UserError where a row asks for more pieces than there are elements, and where a user's row names a dimension that the
// operator cannot be cut along. An operator that no row is about may be cut along every dimension.
Allowed allowed_parts(const Plan& plan, const Operator& op);

// Whether dimension `d` of the output counts samples.
bool is_sample_dimension(const Plan& plan, const Operator& op, std::size_t d);

}  // namespace tilewright
