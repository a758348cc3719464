// What is added to the score of a key that a query does not see: it leaves nothing of it behind a softmax, whatever the
// score is. Products of scores that are all masked by it, or by less, are left out (planner/emit/chain).
#pragma once

namespace tilewright {

inline constexpr double kMaskedScore = -1e9;

}  // namespace tilewright
