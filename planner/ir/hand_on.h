// Operands of a product that cores hand on. Of the parts that read the same of an operand one takes it from memory,
// step of the sum by step, and every other one takes from the buffer of the part behind it what that one has used in
// the step before: a chain of cores, each a step of the sum ahead of the one in front of it. Memory gives the operand
// once for every chain, not once for every core.
//
// Source: Kung, "Why systolic architectures?" (Computer 1982), with cores for cells; Liu et al., "Scaling deep learning
// computation over the inter-core connected intelligence processor with T10" (SOSP 2024) shift operands so.
#pragma once

#include <string>
#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

// A part's place in the chain of an operand.
inline constexpr int kNoCore = -1;
struct HandOn {
  int from = kNoCore;  // the core out of whose buffer it takes the operand; kNoCore: out of memory
  int to = kNoCore;    // the core that takes it out of this one's
  bool operator==(const HandOn&) const = default;
};
struct PartHandOns {
  HandOn a, b;
  std::int64_t first_step = 0;  // of the sum, modulo the number of steps
};

// Whether the tilings of the operator say that it hands something on (Tiling::hand_on_a, hand_on_b).
bool hands_on(const OperatorPlan& planned);
// By part. Needs split and tilings.
std::vector<PartHandOns> hand_ons(const Plan& plan, OperatorId id);
// Why the operator's parts cannot hand on what their tilings say; empty when they can.
std::string hand_on_fault(const Plan& plan, OperatorId id);

// Flags of a core: what it takes from `from` is in that one's buffer; `by` has taken what it takes from this one. Apart
// from the flags of partial results (ir/partials.h).
inline constexpr int kHandOnFlags = 1 << 14;
inline int flag_there(int from) { return from; }
inline int flag_taken(int by) { return kHandOnFlags + by; }
// A wait behind which nobody reads any more what this core's buffer gives away.
bool waits_until_taken(const Instruction& instruction);

}  // namespace tilewright
