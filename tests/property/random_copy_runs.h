// Random copies through the simulated chip, the direct way and over plain layouts: every byte of the output's memory
// must be as an element-by-element copy leaves it.
#pragma once

#include <memory>

#include "planner/cost/measure_copy.h"
#include "sim/hw/resolve.h"
#include "tests/property/random_copies.h"

namespace tilewright::test {

inline Hardware chip_with_buffer(const char* file, Bytes buffer_a) {
  Hardware chip = load_hardware(fmt::format("{}/hw_configs/{}.yaml", TILEWRIGHT_SOURCE_DIR, file));
  chip.core.buffer_a = buffer_a;
  return chip;
}

inline void run_random_copies(std::uint64_t seed, std::int64_t most, int cases) {
  // All sessions of a process are made before the first one runs.
  std::vector<std::unique_ptr<Session>> sessions;
  for (const char* file : {"edge_single", "dual_cluster_cache", "quad_smp", "quad_numa"})
    for (const Bytes buffer_a : {256, 8192, 65536})
      sessions.push_back(std::make_unique<Session>(chip_with_buffer(file, buffer_a)));
  RandomCopies random(seed, most);
  for (int i = 0; i < cases; ++i) {
    const CopyCase one = random.next_whole();
    const DataType type = i % 3 == 0 ? DataType::kBf16 : i % 3 == 1 ? DataType::kInt8 : DataType::kFp32;
    const TracedCopy copy{"random", type, {one.from.layout, one.from.view}, {one.to.layout, one.to.view}};
    if (overlaps_itself(copy.output.view)) continue;
    Session& session = *sessions[static_cast<std::size_t>(i) % sessions.size()];
    SCOPED_TRACE(fmt::format("case {}: {}", i, RandomCopies::describe(one)));
    const CopyMeasurement direct = measure_copy(session, direct_copy(copy), copy, true);
    ASSERT_EQ(direct.wrong_bytes, 0);
    ASSERT_EQ(measure_copy(session, copy_via_plain(copy), copy, true).wrong_bytes, 0);
    ASSERT_EQ(measure_copy(session, direct_copy(copy), copy, false).cycles, direct.cycles) << "values change the time";
    const CopyBound bound = bound_of(one.from, one.to);
    ASSERT_GE(direct.dram_read, bound.read * bytes_of(type));
    ASSERT_GE(direct.dram_write, bound.written * bytes_of(type));
  }
}

}  // namespace tilewright::test
