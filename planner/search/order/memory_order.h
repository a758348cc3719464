// The order of a network's operators in which its tensors need least memory at once.
//
// What an operator needs beside what has been run before it depends on which operators these are, not on their order:
// dynamic programming over order ideals (sets of operators that may have run first) finds the least peak (Kahn and
// others do so for compilers: "Ordering Chaos", Ahn et al. 2020). Where there are too many ideals of a size, those with
// the lowest peaks go on.
#pragma once

#include "planner/search/order/network_part.h"
#include "planner/search/order/order_count.h"

namespace tilewright {

// Memory of one tensor, or of several that share it.
struct HeldTensor {
  Bytes bytes = 0;
  std::vector<int> writers;  // nodes; none: there from the start
  std::vector<int> readers;  // nodes
  bool lasting = false;      // to the end
};

// What peak_memory() counts, by nodes. Where results stay is that of the order as imported.
std::vector<HeldTensor> held_tensors(const SchedulePart& part);

// Most bytes at one node of the order.
Bytes peak_of(const ScheduleDag& dag, const std::vector<HeldTensor>& tensors, const NodeOrder& order);

struct MemoryOrder {
  NodeOrder order;
  Bytes peak = 0;      // peak_of() it
  bool exact = false;  // no order needs less
};
// Of `most_ideals` ideals at most. Of orders that need as much the one nearest to the order as imported.
MemoryOrder least_memory_order(const ScheduleDag& dag, const std::vector<HeldTensor>& tensors,
                               std::size_t most_ideals = OrderCounter::kMaxIdeals);

}  // namespace tilewright
