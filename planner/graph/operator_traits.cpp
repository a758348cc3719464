#include "planner/graph/operator_traits.h"

#include <algorithm>
#include <limits>

namespace tilewright {

std::optional<OpKind> parse_op_kind(std::string_view name) {
  for (const OperatorTraits& row : all_operator_traits())
    if (row.name == name) return row.kind;
  return std::nullopt;
}

InputRole role_of(OpKind kind, std::size_t position) {
  const OperatorTraits& traits = traits_of(kind);
  if (traits.is(kVariadic)) return traits.inputs[0];
  return position < traits.inputs.size() ? traits.inputs[position] : InputRole::kNone;
}

bool is_data(InputRole role) { return role == InputRole::kData || role == InputRole::kPositive; }

std::size_t max_inputs(OpKind kind) {
  const OperatorTraits& traits = traits_of(kind);
  if (traits.is(kVariadic)) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(std::find(traits.inputs.begin(), traits.inputs.end(), InputRole::kNone) -
                                  traits.inputs.begin());
}

std::size_t channel_dimension(OpKind kind, std::size_t rank) {
  return traits_of(kind).axes == AxisMap::kConvolution ? 1 : rank - 1;
}

}  // namespace tilewright
