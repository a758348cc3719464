// A small chip and a small legal program that the tests of this folder bend.
#pragma once

#include <string>

#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"
#include "sim/isa/text.h"
#include "sim/isa/verify/verify.h"

namespace tilewright {

// Two clusters of two cores; a 4096 B, b 4096 B, acc 8192 B, 2048 addressed bytes a cluster, DRAM 2 regions of 1 MiB.
inline Hardware small_chip() {
  Hardware hardware;
  hardware.name = "small";
  hardware.clusters = 2;
  hardware.cores_per_cluster = 2;
  hardware.core.matmul.rate.fill(1);
  hardware.core.buffer_a = 4096;
  hardware.core.buffer_b = 4096;
  hardware.core.accumulator = 8192;
  hardware.cluster_memory = ClusterMemorySpec{.capacity = 8192, .ways = 16, .addressed_ways = 4};
  hardware.dram.channels = 2;
  hardware.dram.regions = 2;
  hardware.dram.channel_capacity = 1 << 20;
  return hardware;
}

// Segments x (input), w (constant), h (hidden), y (output), each 4096 bytes, and room for instructions.
inline std::string header() {
  return "program \"test\"\n"
         "operator 1 \"first\"\n"
         "segment \"x\" input bf16 @0x1000 4096\n"
         "segment \"w\" constant bf16 @0x2000 4096\n"
         "segment \"h\" hidden bf16 @0x3000 4096\n"
         "segment \"y\" output bf16 @0x4000 4096\n"
         "segment \"code\" instructions int8 @0x10000 65536\n";
}

inline Program program_of(const std::string& cores) { return parse_program(header() + cores, "test"); }
inline Program one_core(const std::string& lines) { return program_of("core 0 fetch @0x10000\n" + lines); }

// The first violation's reason; empty for a legal program.
inline std::string fault_of(const Program& program, const Hardware& hardware = small_chip()) {
  const auto violations = find_violations(program, hardware, 1);
  return violations.empty() ? "" : violations.front().reason;
}
inline std::string core_fault(const std::string& lines) { return fault_of(one_core(lines)); }

}  // namespace tilewright
