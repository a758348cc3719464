// One object for each memory that a program's instructions write: a segment of DRAM, a cluster's memory, a core's
// buffer. Made when it is first asked for.
#pragma once

#include <memory>
#include <vector>

#include "sim/hw/config/hardware.h"
#include "sim/isa/operand.h"
#include "sim/isa/program.h"

namespace tilewright {

// The core, or the cluster, that an operand of an instruction of `core` lies in; not of DRAM.
inline int owner_of(const Hardware& hardware, const Operand& operand, int core) {
  if (operand.owner != kOwnMemory) return operand.owner;
  return operand.space == Space::kCluster ? hardware.cluster_of(core) : core;
}

// Bytes of that memory.
inline Bytes capacity_of(const Hardware& hardware, Space space, int owner) {
  if (space == Space::kCluster) {
    const auto& memory = hardware.memory_of(owner);
    return memory ? memory->addressed_capacity() : 0;
  }
  const CoreSpec& core = hardware.core_of(owner);
  return space == Space::kBufferA ? core.buffer_a : space == Space::kBufferB ? core.buffer_b : core.accumulator;
}

// `T` is made of the memory's first address and its bytes, and of `arguments` behind them.
template <typename T>
class Memories {
 public:
  Memories(const Program& program, const Hardware& hardware)
      : hardware_(hardware),
        segments_(program),
        local_(static_cast<std::size_t>(hardware.cores()) * kSpaceCount),
        segment_(program.segments.size()) {}

  // That of the operand of an instruction of `core`. Null for memory that no instruction writes.
  template <typename... Arguments>
  T* of(int core, const Operand& operand, const Arguments&... arguments) {
    if (operand.space == Space::kDram) {
      const int index = segments_.find(operand.address, operand.address + operand.element);
      const Segment& segment = segments_[index];
      if (!may_be_written(segment.kind)) return nullptr;
      return made(segment_[index], segment.address, segment.bytes, arguments...);
    }
    const int owner = owner_of(hardware_, operand, core);
    const std::size_t slot = static_cast<std::size_t>(owner) * kSpaceCount + static_cast<std::size_t>(operand.space);
    return made(local_[slot], 0, capacity_of(hardware_, operand.space, owner), arguments...);
  }

 private:
  template <typename... Arguments>
  static T* made(std::unique_ptr<T>& slot, Address low, Bytes bytes, const Arguments&... arguments) {
    if (!slot) slot = std::make_unique<T>(low, bytes, arguments...);
    return slot.get();
  }

  const Hardware& hardware_;
  SegmentTable segments_;
  std::vector<std::unique_ptr<T>> local_;  // owner * spaces + space; the owner is a core or a cluster
  std::vector<std::unique_ptr<T>> segment_;
};

}  // namespace tilewright
