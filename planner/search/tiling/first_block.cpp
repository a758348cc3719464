#include "planner/search/tiling/first_block.h"

#include <algorithm>

#include "planner/graph/block_names.h"
#include "planner/ir/group.h"

namespace tilewright {
namespace {

// By operator of the program, of which 0 is none: whether it comes before the second block. What is computed together
// with one of that block does not.
std::vector<bool> before_second_block(const Plan& plan) {
  const auto second = std::ranges::find_if(
      plan.order, [&](OperatorId id) { return plan.graph.op(id).name.starts_with(block_prefix(2)); });
  std::vector<bool> begins(plan.graph.operators().size(), false), before(begins.size() + 1, false);
  for (auto id = plan.order.begin(); id != second; ++id) begins[*id] = true;
  before[0] = true;
  for (const OperatorId id : plan.order) before[id + 1] = begins[root_of(plan, id)];
  return before;
}

}  // namespace

Program program_of_first_block(const Plan& plan) {
  const std::vector<bool> before = before_second_block(plan);
  Program program = plan.program;
  for (CoreProgram& core : program.cores)
    std::erase_if(core.instructions, [&](const Instruction& instruction) { return !before[instruction.op]; });
  return program;
}

}  // namespace tilewright
