#include "sim/isa/chip_map.h"

#include <algorithm>
#include <bit>

#include "sim/base/error.h"

namespace tilewright {
namespace {

Bytes window_of(Bytes bytes) {
  return static_cast<Bytes>(std::bit_ceil(static_cast<std::uint64_t>(std::max<Bytes>(bytes, 1))));
}

Bytes addressed_bytes(const ClusterKind& kind) { return kind.memory ? kind.memory->addressed_capacity() : 0; }

Bytes longest_buffer(const ClusterKind& kind) {
  return std::max({kind.core.buffer_a, kind.core.buffer_b, kind.core.accumulator});
}

template <typename BytesOf>
Bytes largest(const Hardware& hardware, const BytesOf& bytes_of_kind) {
  Bytes most = 0;
  hardware.for_each_kind([&](const ClusterKind& kind) { most = std::max(most, bytes_of_kind(kind)); });
  return most;
}

}  // namespace

ChipMap::ChipMap(const Hardware& hardware)
    : dram_(hardware.dram.capacity()),
      cluster_window_(window_of(largest(hardware, addressed_bytes))),
      buffer_window_(window_of(largest(hardware, longest_buffer))),
      clusters_(round_up(dram_, cluster_window_)),
      cores_(round_up(clusters_ + hardware.clusters * cluster_window_, buffer_window_)),
      end_(cores_ + Address{hardware.cores()} * kBuffers * buffer_window_) {}

Address ChipMap::base_of(Space space, int owner) const {
  if (space == Space::kCluster) return clusters_ + owner * cluster_window_;
  const int buffer = static_cast<int>(space) - static_cast<int>(Space::kBufferA);
  SIM_CHECK(buffer >= 0, "{} belongs to nobody", name_of(space));
  return cores_ + (Address{owner} * kBuffers + buffer) * buffer_window_;
}

ChipMap::Place ChipMap::place_of(Address address) const {
  SIM_CHECK(address >= clusters_ && address < end_, "address {:#x} is in no memory of a core or cluster", address);
  if (address < cores_) {
    const Address offset = address - clusters_;
    return {Space::kCluster, static_cast<int>(offset / cluster_window_), offset % cluster_window_};
  }
  const Address offset = address - cores_, buffer = offset / buffer_window_;
  return {static_cast<Space>(static_cast<int>(Space::kBufferA) + static_cast<int>(buffer % kBuffers)),
          static_cast<int>(buffer / kBuffers), offset % buffer_window_};
}

}  // namespace tilewright
