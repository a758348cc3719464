// How the operand of an epilogue lies against the result that it is applied to.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

enum class EpilogueForm : std::uint8_t {
  kUnary,    // no operand
  kScalar,   // one value known when the program is made: part of the instruction, never loaded
  kChannel,  // a vector: one value per output channel
  kElement,  // of the result's shape, or broadcast against it as numpy does
};
EpilogueForm form_of(const Graph& graph, const Epilogue& epilogue);
bool has_element_operand(const Graph& graph, const Operator& op);

// The value, as stored, of a constant of one element with known data: it needs no load.
std::optional<double> known_scalar(const Plan& plan, TensorId tensor);

// Whether `operand`, broadcast against a result of `kind` and shape `result`, has one value per output channel. What a
// convolution reads has its channels in the same place.
bool per_channel(const Shape& operand, const Shape& result, OpKind kind);
// Whether an element operand of shape `operand` can be applied to a result of `kind` and shape `result`.
bool fits_elements(const Shape& operand, const Shape& result, OpKind kind);

// Whether the operand's values behind `result`, a part of the result, are known and none is outside `low` to `high`.
bool known_within(const Graph& graph, const Epilogue& epilogue, const BoxRange& result, double low, double high);
// Tells known values behind parts of the result of equal extents apart.
std::uint64_t digest_of_known(const Graph& graph, const Epilogue& epilogue, const BoxRange& result);

// Elements that `output`, a part of the result, needs of an operand of `shape` broadcast against it.
BoxRange broadcast_box(const Shape& shape, const BoxRange& output);

}  // namespace tilewright
