// Second operands of products that are repeated for matrices of the first: keys and values that several heads of
// queries share (grouped-query attention, Ainslie et al. 2023), which exporters expand to one copy per head.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/graph/graph_edit.h"

namespace tilewright {

// Each matrix comes `times` times, one after another.
struct RepeatedOperand {
  // An operator on the way to the product, and the dimension of its result that is repeated.
  struct Step {
    int op = -1;
    std::int64_t axis = 0;
  };
  std::int64_t times = 1;
  std::vector<Step> steps;  // the first repeats; none: the product itself does, by broadcasting
};

// Operand B of the MatMul `product`, where matrices of A, neighbours in the dimension in front of theirs, share one
// each: behind an Expand or a Tile, with only renamings, transposes and steps element by element in between, none of
// them read elsewhere, or by broadcasting. Nothing: every matrix has its own.
std::optional<RepeatedOperand> repeated_operand(const GraphEdit& edit, std::size_t product);

// Makes that operand without repeating it: its dimension in front of the matrices is `times` times shorter then.
void make_once(GraphEdit& edit, const RepeatedOperand& operand);

}  // namespace tilewright
