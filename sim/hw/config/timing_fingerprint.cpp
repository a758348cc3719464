#include "sim/hw/config/timing_fingerprint.h"

#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

void forget_buffers(CoreSpec& core) { core.buffer_a = core.buffer_b = core.accumulator = 0; }

}  // namespace

std::uint64_t timing_fingerprint(const Hardware& hardware) {
  Hardware timed = hardware;
  timed.area = {};
  forget_buffers(timed.core);
  for (ClusterKind& kind : timed.kinds) forget_buffers(kind.core);
  return fingerprint(timed);
}

}  // namespace tilewright
