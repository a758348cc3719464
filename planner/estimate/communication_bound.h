// The least time that a product can take on some cores of a chip, however it is split and tiled: a bound by arithmetic,
// never a prediction.
//
// C[m,n] = A[m,k] x B[k,n] in p parts of V = m n k / p multiply-adds each. A part that uses a elements of A and b of B
// and adds to c sums makes at most sqrt(a b c) multiply-adds (Loomis and Whitney, 1949; Irony, Toledo and Tiskin,
// 2004), so that a b c >= V^2: no grid of parts, of two dimensions or three, reads less. What a part uses goes into its
// cluster at least once, by whichever port, as does each sum that another part begins. Behind a cluster's cache or
// memory the parts of its cores count as one. Memory gives every operand once: cores may take it from each other
// (ir/hand_on.h).
//
// Not counted, so that the limit may lie too low: what small buffers make a core read again, start and end, row
// conflicts.
#pragma once

#include <string_view>

#include "planner/ir/plan.h"

namespace tilewright {

// The pass (planner/passes/pass.h) after which a plan says all that is needed here: operators and their element types.
inline constexpr std::string_view kNeededForLimit = "label";

struct CommunicationBound {
  int cores = 1;              // with equal parts
  double compute_cycles = 0;  // multiply-adds at the peak rate of these cores
  double dram_cycles = 0;     // operands and results once at DRAM's peak rate, and the refreshes due meanwhile
  double port_cycles = 0;     // the least bytes that go into a cluster, through all of its ports
  double dram_bytes = 0, port_bytes = 0;
  // Core clocks.
  double cycles() const;
};

// Of operator `id`, a product without batch dimensions longer than one (SIM_CHECK), in equal parts on `cores` cores.
CommunicationBound communication_bound(const Plan& plan, OperatorId id, int cores);
// The lowest for any number of cores up to `cores`: fewer compute longer, but read less.
CommunicationBound least_communication_bound(const Plan& plan, OperatorId id, int cores);
bool has_communication_bound(const Plan& plan, OperatorId id);

}  // namespace tilewright
