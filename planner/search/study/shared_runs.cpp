#include "planner/search/study/shared_runs.h"

#include <fmt/format.h>

#include "sim/hw/config/read_hardware.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

void forget_buffers(CoreSpec& core) { core.buffer_a = core.buffer_b = core.accumulator = 0; }

}  // namespace

std::string run_identity(const Hardware& hardware, const Program& program) {
  Hardware timed = hardware;
  timed.area = {};
  forget_buffers(timed.core);
  for (ClusterKind& kind : timed.kinds) forget_buffers(kind.core);
  return fmt::format("{:016x} {:016x}", fingerprint(timed), hash_of(program));
}

const WorkloadResult* SharedRuns::find(const std::string& identity) const {
  const auto found = results_.find(identity);
  return found == results_.end() ? nullptr : &found->second;
}

}  // namespace tilewright
