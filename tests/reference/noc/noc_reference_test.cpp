// The network beside BookSim 2. Windows are shorter than for `tilewright validate`; the bands are the same.
#include <gtest/gtest.h>

#include <fstream>

#include "sim/base/error.h"
#include "validation/noc.h"

namespace tilewright {
namespace {

const std::string kTable = TILEWRIGHT_SOURCE_DIR "/tests/reference/noc/noc.csv";
constexpr NocEffort kShort{2000, 8000, 7};

// Rows that `choose` accepts; at least `least` of them, each inside `band` percent.
template <typename Choose>
void expect_rows(Choose choose, int least, double band) {
  int seen = 0;
  for (const NocReferenceRow& row : read_noc_reference(kTable)) {
    if (!choose(row)) continue;
    ++seen;
    const NocMeasure ours = measure_noc(row, kShort);
    const double reference = row.throughput ? row.accepted : row.latency;
    const double got = row.throughput ? ours.accepted_flits : ours.latency;
    EXPECT_NEAR(got, reference, reference * band / 100)
        << row.topology << " " << row.packet << " " << row.traffic << " at " << row.offered;
  }
  EXPECT_GE(seen, least);
}

bool judged(const NocReferenceRow& row) {
  return !row.throughput && !row.partly_unstable && row.offered <= 0.6 * row.saturation;
}

TEST(NocReference, MeanLatencyUpToSixtyPercentOfSaturation) {
  expect_rows([](const NocReferenceRow& row) { return judged(row) && row.nodes <= 16; }, 90, 10);
}

TEST(NocReference, MeanLatencyOnSixtyFourRouters) {
  expect_rows([](const NocReferenceRow& row) { return judged(row) && row.nodes > 16; }, 15, 10);
}

TEST(NocReference, ThroughputAboveSaturation) {
  expect_rows([](const NocReferenceRow& row) { return row.throughput; }, 60, 10);
}

// What is left out of the load sweep still finishes: no circle of waiting packets.
TEST(NocReference, EveryStableLoadDrains) {
  for (const NocReferenceRow& row : read_noc_reference(kTable))
    if (!row.throughput && !row.partly_unstable && row.offered <= 0.9 * row.saturation && row.nodes <= 16) {
      EXPECT_TRUE(measure_noc(row, {500, 1500, 3}).drained) << row.topology << " " << row.traffic << " " << row.offered;
    }
}

TEST(NocReference, BadTableNamesItsLine) {
  const std::string path = testing::TempDir() + "/noc_bad.csv";
  {
    std::ifstream source(kTable);
    std::ofstream target(path);
    std::string line;
    while (std::getline(source, line) && line.starts_with('#')) continue;
    target << line << "\nmesh2x2,1\n";
  }
  try {
    read_noc_reference(path);
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), (path + ":2: got 2 fields, expected 33").c_str());
  }
}

}  // namespace
}  // namespace tilewright
