#include "planner/passes/allocate/row_gaps.h"

#include "planner/ir/access.h"
#include "planner/ir/row_pitch.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Whether rows of `row` elements are whole dimensions of an array of `shape`.
bool has_rows(const Shape& shape, std::int64_t row) {
  std::int64_t inner = 1;
  for (std::size_t d = shape.size(); d-- > 0 && inner < row;) inner *= shape[d];
  return inner == row;
}

bool is_same_array(const TensorPlan& alias) { return alias.joined_along < 0 && alias.permuted.empty(); }

// By tensor: whether gaps may lie between its rows.
std::vector<bool> may_have_gaps(const Plan& plan) {
  std::vector<bool> may(plan.tensors.size(), true);
  for (TensorId id = 0; id < std::ssize(plan.tensors); ++id) {
    const TensorPlan& seen = plan.tensors[id];
    if (plan.graph.tensor(id).kind == TensorKind::kConstant || !seen.parts.empty()) may[id] = false;
    const TensorId storage = storage_of(plan, id);
    if (storage == id || !is_same_array(seen)) continue;
    const TensorPlan& placed = plan.tensors[storage];
    for (const PlacedPiece& piece : placed.pieces)
      if (!has_rows(plan.graph.tensor(id).shape, row_of(placed, plan.graph.tensor(storage).shape, piece)))
        may[storage] = false;
  }
  return may;
}

}  // namespace

void set_row_gaps(Plan& plan) {
  if (!rows_may_lie_apart(plan.options)) return;
  const std::vector<bool> may = may_have_gaps(plan);
  for (TensorId id = 0; id < std::ssize(plan.tensors); ++id) {
    TensorPlan& placed = plan.tensors[id];
    const Shape& shape = plan.graph.tensor(id).shape;
    const Bytes element = bytes_of(placed.type);
    for (PlacedPiece& piece : placed.pieces) {
      const Bytes row = row_of(placed, shape, piece) * element;
      if (may[id] && piece.in_dram() && piece_bytes(placed, shape, piece) > row)
        piece.gap = (row_pitch(plan.hardware.dram, row) - row) / element;
    }
  }
}

void close_row_gaps(Plan& plan) {
  for (TensorPlan& tensor : plan.tensors)
    for (PlacedPiece& piece : tensor.pieces) piece.gap = 0;
}

void expect_row_gaps(const Plan& plan) {
  const std::vector<bool> may = may_have_gaps(plan);
  for (TensorId id = 0; id < std::ssize(plan.tensors); ++id)
    for (const PlacedPiece& piece : plan.tensors[id].pieces)
      SIM_CHECK(piece.gap == 0 || (may[id] && piece.in_dram()), "the rows of '{}' lie {} elements apart",
                plan.graph.tensor(id).name, piece.gap);
}

}  // namespace tilewright
