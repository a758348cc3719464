// Runs programs in worker processes, one elaborated chip in each: SystemC has one context per process, so this process
// may hold as many chips as it likes and none of them itself. A worker is kept for the next run on an equal chip.
#pragma once

#include <stdexcept>
#include <string>

#include "cli/simulate.h"

namespace tilewright {

// A worker died: `what` says how.
class WorkerCrash : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// As execute_here() in a process of its own. UserError and InternalError of the worker are thrown here; WorkerCrash
// when it died; what check_interrupt() throws, after the worker has been ended. Any thread may call it, without the
// interpreter's lock.
Execution execute_in_worker(const Program& program, const Hardware& hardware, RunOptions options, bool trace);

// Ends the workers that wait for a run.
void end_idle_workers();

// How many workers that wait for a run.
int idle_workers();

}  // namespace tilewright
