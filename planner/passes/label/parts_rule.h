// Parts of any operator without a prediction: as many as the strategies ask for, by the rule of the split index, or as
// far outside as possible.
#pragma once

#include "planner/passes/label/allowed_parts.h"
#include "planner/passes/label/parts.h"

namespace tilewright {

// Whether a row asks for a number of pieces, and the parts then: that many where asked, as far as the cores go.
bool asks_for_pieces(const Allowed& allowed);
Parts asked_parts(const Allowed& allowed, std::int64_t cores);

// One dimension, the first by priority that has an element for every memory channel.
Parts rule_parts(const Plan& plan, const Operator& op, const Allowed& allowed, std::int64_t cores);

// The first dimension by priority with an element for every core, else as many dimensions as it takes. The innermost
// one comes last: cutting it makes every row that a core writes shorter.
Parts outer_parts(const Shape& shape, const Allowed& allowed, std::int64_t cores);

}  // namespace tilewright
