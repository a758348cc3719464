// Runs that points of a study share. Chips that differ only in how much their buffers hold run the same program in the
// same time, with the same energy; a planner that has no use for a larger buffer makes the same program for it.
#pragma once

#include <map>
#include <string>

#include "planner/search/study/study_result.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

// Of a run: the program, and all of the chip that it can depend on (timing_fingerprint()).
std::string run_identity(const Hardware& hardware, const Program& program);

class SharedRuns {
 public:
  // What was measured of an equal run; nullptr: none was.
  const WorkloadResult* find(const std::string& identity) const;
  void add(const std::string& identity, const WorkloadResult& result) { results_.emplace(identity, result); }

 private:
  std::map<std::string, WorkloadResult> results_;
};

}  // namespace tilewright
