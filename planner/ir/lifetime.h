// When the memory of each tensor is needed, by the execution order.
#pragma once

#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

// Positions in plan.order: from the operator that writes the tensor to the last one that reads it or a renaming of it.
// Inputs and constants are there from the start, and they and outputs stay to the end.
struct Lifetime {
  int first = 0, last = 0;
  bool meets(const Lifetime& other) const { return first <= other.last && other.first <= last; }
};

// By TensorId: whether its memory, which renamings may share, holds neither an input nor a constant nor an output.
std::vector<bool> hidden_memory(const Plan& plan);

// By TensorId; a renaming has that of the tensor whose memory it shares. Needs plan.order and the aliases of `place`.
std::vector<Lifetime> lifetimes(const Plan& plan);

// Whether the tensor has DRAM of its own: it neither lies in another's memory or in its parts, nor on the cores or in
// the clusters alone.
bool has_own_dram(const Plan& plan, TensorId tensor);

Bytes bytes_of_tensor(const Plan& plan, TensorId tensor);

// Most bytes of DRAM that tensors need at one position of the order; instructions not counted.
Bytes peak_memory(const Plan& plan);

}  // namespace tilewright
