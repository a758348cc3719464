// What the units of a core take, core clocks: the planner's only formulas for their rates. The simulated units count
// the same (sim/hw/timing/array_time.h, sim/isa/unit_time.h).
#pragma once

#include "sim/hw/config/hardware.h"
#include "sim/hw/timing/array_time.h"
#include "sim/isa/instruction.h"

namespace tilewright {

// `macs` multiply-adds on `cores` cores at that rate: what every bound counts for computing.
inline double peak_time(const MatmulSpec& spec, DataType type, double macs, int cores) {
  return macs / (spec.macs_per_cycle(type) * cores);
}

// One matmul instruction.
struct MatmulTime {
  Cycles fill = 0;   // until its first block streams, when the array was empty
  Cycles busy = 0;   // issue and occupancy: until the next one may start
  Cycles drain = 0;  // behind that until its last result
};
MatmulTime matmul_time(const MatmulSpec& spec, const ArrayWork& work);

// Occupancy of an array by `work` alone, with the operand held that makes it shorter.
Cycles least_occupancy(const MatmulSpec& spec, ArrayWork work);
// Whether that is A. Never on an output-stationary array.
bool shorter_with_a_held(const MatmulSpec& spec, ArrayWork work);

// `elements` at `passes` over the lanes each, without issue: the slope of a vector instruction's time.
inline double lane_time(const VectorSpec& spec, double elements, double passes) {
  return elements * passes / spec.lanes;
}
// Over what packed weights are expanded to, of `type`.
int expansion_passes(const VectorSpec& spec, DataType type);
// Over weights of `type` that are multiplied with a factor.
int scaling_passes(const VectorSpec& spec, DataType type);
// Passes of the cheapest operation.
int least_passes(const VectorSpec& spec);

// Through a core's own port between its DMA engine and its buffers.
inline double port_time(const DmaSpec& spec, double bytes) {
  return bytes / static_cast<double>(spec.buffer_bytes_per_cycle);
}

// What `instruction` keeps its unit busy when memory gives the core `share` bytes per core clock (bandwidth_share()).
// Waits, signals and barriers take nothing.
double instruction_time(const Hardware& hardware, const Instruction& instruction, double share);

}  // namespace tilewright
