#include "planner/estimate/group_time.h"

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/estimate/unit_times.h"
#include "sim/isa/binary.h"

namespace tilewright {

void GroupTimes::add(const Hardware& hardware, const Instruction& instruction, double share) {
  const Unit unit = instruction.unit == Unit::kStore ? Unit::kLoad : instruction.unit;
  busy[static_cast<int>(unit)] += instruction_time(hardware, instruction, share);
  busy[static_cast<int>(Unit::kLoad)] += static_cast<double>(encoded_size(instruction)) / share;
}

GroupTimes GroupTimes::extended(const GroupTimes& more, double loads, double computed) const {
  GroupTimes all = *this;
  for (int unit = 0; unit < kUnitCount; ++unit)
    all.busy[unit] += (unit == static_cast<int>(Unit::kLoad) ? loads : computed) * (more.busy[unit] - busy[unit]);
  return all;
}

double GroupTimes::cycles(double blocks, double batches) const {
  double sum = 0, longest = 0;
  for (const double each : busy) sum += each, longest = std::max(longest, each);
  const double loads = busy[static_cast<int>(Unit::kLoad)];
  return (longest + constants().hidden_load_weight * loads) * batches + (sum - longest) / blocks;
}

}  // namespace tilewright
