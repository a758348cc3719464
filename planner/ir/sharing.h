// Which cores need what others read or wrote: the exchange level of labels (ir/label.h, Swap).
#pragma once

#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

// A core that reads of an operator's input what others wrote; `far`: some of them are of another cluster.
struct Crossing {
  int reader = 0;
  bool far = false;
};
std::vector<Crossing> crossings(const Plan& plan, OperatorId id, OperatorId producer, std::size_t input);

// Who else needs the pieces that the operator reads as `input`: of what operators wrote, who reads them on another core
// than wrote them; of what is there before the run, the cores that read the same. Needs splits and places.
Swap needed_swap(const Plan& plan, OperatorId id, std::size_t input);

// By TensorId: of a tensor with memory of its own the most that the labels of its readers say, and that of its writer
// of the exchange of partial results.
std::vector<Swap> most_swaps(const Plan& plan);

}  // namespace tilewright
