#include "planner/search/study/shared_runs.h"

#include <fmt/format.h>

#include "sim/hw/config/timing_fingerprint.h"
#include "sim/isa/binary.h"

namespace tilewright {

std::string run_identity(const Hardware& hardware, const Program& program) {
  return fmt::format("{:016x} {:016x}", timing_fingerprint(hardware), hash_of(program));
}

const WorkloadResult* SharedRuns::find(const std::string& identity) const {
  const auto found = results_.find(identity);
  return found == results_.end() ? nullptr : &found->second;
}

}  // namespace tilewright
