// The bytes behind the addresses, kept only when a run carries values, and what an instruction does to them: the whole
// effect at once, as it becomes visible at completion.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "sim/isa/program.h"
#include "sim/machine/core/zeroed_bytes.h"

namespace tilewright {

// DRAM as far as the segments of a program reach. All bytes start as zero.
class DramImage {
 public:
  explicit DramImage(const std::vector<Segment>& segments);

  // `bytes` bytes from `address`, which lie in segments that touch or overlap. InternalError otherwise.
  std::byte* at(Address address, Bytes bytes);

 private:
  struct Extent {
    Address begin = 0;
    ZeroedBytes memory;
  };

  std::vector<Extent> extents_;  // sorted, apart from each other
  std::size_t last_ = 0;         // extent found last
};

struct CoreMemory;

// Memories of a chip that belong to a core or a cluster.
struct OwnedMemories {
  std::vector<ZeroedBytes> clusters;
  std::vector<CoreMemory> cores;
};

// Everything one core's instructions can reach.
struct CoreMemory {
  DramImage* dram = nullptr;
  ZeroedBytes* cluster = nullptr;
  ZeroedBytes buffer_a, buffer_b, accumulator;
  OwnedMemories* others = nullptr;

  // Pointer to `bytes` bytes at `address` of `space`, of this core or of `owner`; InternalError outside of it.
  std::byte* at(Space space, Address address, Bytes bytes, int owner = kOwnMemory);

 private:
  ZeroedBytes& memory_of(Space space);
};

// Signals, waits and barriers change nothing.
void execute(const Instruction& instruction, CoreMemory& memory);

void execute_transfer(const Transfer& transfer, CoreMemory& memory);
// Sums in fp32, or exactly in int32 for int8 operands, in the order of k.
void execute_matmul(const Matmul& matmul, CoreMemory& memory);
// Computes in fp32 and rounds once; add, sub, mul, max, min, copy, negate, relu and reductions of integers are exact.
void execute_vector(const Vector& vector, CoreMemory& memory);

}  // namespace tilewright
