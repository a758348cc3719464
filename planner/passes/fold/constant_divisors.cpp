#include "planner/passes/fold/constant_divisors.h"

#include <algorithm>
#include <cmath>

namespace tilewright {
namespace {

// Outside of it 1 / c may be no normal number of fp32.
bool has_normal_reciprocal(double c) { return std::abs(c) > 0x1p-120 && std::abs(c) < 0x1p120; }

bool divides_floats(const GraphEdit& edit, const Operator& op, DataType network) {
  const auto is_float = [&](TensorId id) {
    return accumulator_type(stored_type(edit.tensor(id), network)) == DataType::kFp32;
  };
  return op.kind == OpKind::kDiv && op.attributes.levels.empty() && std::ranges::all_of(op.inputs, is_float);
}

}  // namespace

void multiply_by_reciprocal(GraphEdit& edit, std::size_t op, DataType network) {
  Operator& division = edit.operators()[op];
  if (GraphEdit::removed(division) || !divides_floats(edit, division, network)) return;
  const TensorId divisor = division.inputs[1];
  const std::optional<double> given = edit.scalar(divisor);
  if (!given) return;
  const double c = round_finite(stored_type(edit.tensor(divisor), network), *given);
  if (!has_normal_reciprocal(c)) return;
  division.kind = OpKind::kMul;
  division.inputs[1] = edit.add_tensor(edit.tensor(divisor).name + ".reciprocal", edit.tensor(divisor).shape,
                                       TensorKind::kConstant, std::vector<double>{1 / c});
  edit.tensor(division.inputs[1]).fixed_type = DataType::kFp32;
}

}  // namespace tilewright
