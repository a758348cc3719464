// The planner beside Timeloop (NVlabs/timeloop, 2025-03; mapper for delay, then energy) on one core: bytes between DRAM
// and the core. timeloop.csv holds the bytes and cycles of the best mapping Timeloop found; its cycles are compute or
// DRAM bytes / 64, whichever is longer, without start-up, rows or queues.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <variant>

#include "planner/passes/pass.h"
#include "planner/search/tiling/tiling_measurer.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

struct Row {
  std::int64_t m, n, k, cycles;
  double megabytes;
};

std::vector<Row> rows() {
  std::ifstream file(TILEWRIGHT_SOURCE_DIR "/tests/reference/timeloop/timeloop.csv");
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    Row row{};
    std::istringstream(line) >> row.m >> row.n >> row.k >> row.cycles >> row.megabytes;
    rows.push_back(row);
  }
  return rows;
}

std::int64_t bytes_of_transfer(const Transfer& transfer) {
  if (transfer.source.space != Space::kDram && transfer.target.space != Space::kDram) return 0;
  std::int64_t elements = 1;
  for (const std::int64_t extent : transfer.shape) elements *= extent;
  return elements * bytes_of(transfer.type);
}

// Bytes that the program moves from and to DRAM.
std::int64_t dram_bytes(const Program& program) {
  std::int64_t bytes = 0;
  for (const CoreProgram& core : program.cores)
    for (const Instruction& instruction : core.instructions)
      if (const auto* transfer = std::get_if<Transfer>(&instruction.payload)) bytes += bytes_of_transfer(*transfer);
  return bytes;
}

TEST(Timeloop, DramBytesAreNeverMore) {
  const Hardware hardware = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/timeloop_core.yaml");
  ASSERT_EQ(rows().size(), 9);
  for (const Row& row : rows()) {
    const TilingOperator op = tiling_operator({.dims = {1, row.m, row.n, row.k}});
    const Plan plan = make_plan(op.graph, hardware, {});
    const double megabytes = static_cast<double>(dram_bytes(plan.program)) * 1e-6;
    printf("%5ld %5ld %5ld  Timeloop %9.2f MB, ours %9.2f MB\n", row.m, row.n, row.k, row.megabytes, megabytes);
    // The figures are sums of four that are rounded to three digits, or to hundredths where that is less.
    EXPECT_LE(megabytes, row.megabytes * 1.005 + 0.015) << op.key;
  }
}

TEST(Timeloop, TheSimulatedChipReadsWhatTheProgramSays) {
  const Hardware hardware = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/timeloop_core.yaml");
  const TilingOperator op = tiling_operator({.dims = {1, 384, 384, 64}});
  const Plan plan = make_plan(op.graph, hardware, {});
  Session session(hardware);
  const Cost cost = measure_cost(session, plan);
  const std::int64_t moved = cost.dram_read + cost.dram_written, fetched = moved - dram_bytes(plan.program);
  EXPECT_GE(fetched, 0);
  EXPECT_LT(fetched, 65536) << "instructions alone";
}

}  // namespace
}  // namespace tilewright
