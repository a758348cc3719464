// Predicts how long a program takes by running it on the simulated chip's own units (sim/machine/core, cluster caches)
// with another calendar and another memory: the network and DRAM are queues.
//
// What is left out is what costs a simulation most of its time: flits that compete inside routers, the commands of DRAM
// and SystemC's kernel (queue_memory.h, queue_dram.h).
#pragma once

#include <limits>
#include <vector>

#include "planner/estimate/queue_model/queue_transport.h"
#include "sim/base/event.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"
#include "sim/machine/core/run_record.h"

namespace tilewright {

struct QueueModelRun {
  double cycles = 0;     // core clocks from launch to the last completion and the last byte in DRAM
  bool finished = true;  // else it was given up: it takes more than `cycles`, and `events` are those until then
  EventCounts events{};  // counted as a simulation counts them: what they are and in which units is exact but for rows
                         // opened, refreshes and signals between cores
  std::vector<OperatorSpan> operators;  // as Program::operators
};

// The program must be legal (sim/isa/verify/verify.h). One that takes more than `give_up` core clocks is left there:
// who compares programs need not know by how much the slower one is slower.
QueueModelRun queue_model_run(const Hardware& hardware, const Program& program,
                              RouterBuffers buffers = RouterBuffers::kLimited,
                              double give_up = std::numeric_limits<double>::infinity());
double queue_model_cycles(const Hardware& hardware, const Program& program);

}  // namespace tilewright
