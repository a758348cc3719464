// Into how many parts of which dimensions an operator is cut so that each part fits.
#pragma once

#include <optional>

#include "planner/passes/decompose/cut_rules.h"

namespace tilewright {

struct DimensionCut {
  CutRule rule;
  std::int64_t parts = 1;
};

// What the tensors of one operator may take up together.
struct PartLimit {
  Bytes whole = 0;  // an operator that is not cut
  Bytes most = 0;   // a part
  // Inputs, constants and outputs of the network are there as a whole in any case, and `most` is what they leave.
  bool only_hidden = false;
};

// Bytes of an operator's inputs, parameters and output, as the limit counts them, in the type of the plan.
Bytes data_of(const Plan& plan, const Operator& op, const PartLimit& limit = {});
// The same of one tensor.
Bytes data_of(const Plan& plan, TensorId tensor, const PartLimit& limit);

// Whether a tensor between operators is larger than the limit: it lies there in parts, one after the other, if at all.
bool never_whole(const Plan& plan, TensorId tensor, const PartLimit& limit);

// The cuts by `rules` whose parts, each within the limit, move the fewest bytes together. Where only what is between
// operators counts, all of it is there beside a part but tensors that are never whole, as far as that leaves any cut.
// Operands that stay whole are read by every part, and every run of a part costs a burst of DRAM more than it holds. Of
// equal ones those of the outermost dimensions, then of the fewest parts. Cut are one or two dimensions, three only
// where nothing else fits. Nothing when no cut fits.
std::optional<std::vector<DimensionCut>> choose_cuts(const Plan& plan, const Operator& op, const PartLimit& limit,
                                                     const std::vector<CutRule>& rules);

}  // namespace tilewright
