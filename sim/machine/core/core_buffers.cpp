#include "sim/machine/core/core_buffers.h"

#include "sim/base/error.h"

namespace tilewright {

void Buffer::add_statistics(const std::string& prefix, const RunSpan&, Statistics& statistics) const {
  statistics.add(prefix + ".read_bytes", "bytes", "read by the units", static_cast<double>(state_.read));
  statistics.add(prefix + ".written_bytes", "bytes", "written by the units", static_cast<double>(state_.written));
}

void Buffer::add_probes(Probes& probes) const {
  probes.push_back({"occupied", bits_for(capacity_), [this] { return static_cast<std::uint64_t>(state_.occupied); }});
}

Buffer& CoreBuffers::of(Space space) const {
  switch (space) {
    case Space::kBufferA:
      return a;
    case Space::kBufferB:
      return b;
    case Space::kAccumulator:
      return accumulator;
    case Space::kDram:
    case Space::kCluster:
      break;
  }
  SIM_CHECK(false, "{} is no buffer of a core", name_of(space));
}

void CoreBuffers::read(Space space, int op, Bytes bytes) const {
  of(space).count_read(bytes);
  meter.add(op, space == Space::kAccumulator ? Event::kAccumulatorReadBytes : Event::kBufferReadBytes, bytes);
}

void CoreBuffers::write(Space space, int op, Bytes bytes) const {
  of(space).count_write(bytes);
  meter.add(op, space == Space::kAccumulator ? Event::kAccumulatorWriteBytes : Event::kBufferWriteBytes, bytes);
}

}  // namespace tilewright
