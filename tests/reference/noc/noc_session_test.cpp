// The rows of the network table as programs of a whole machine.
#include "validation/noc_session.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

const std::string kSessionTable = TILEWRIGHT_SOURCE_DIR "/tests/reference/noc/noc.csv";

int rows_of(const ValidationReport& report, const std::string& group) {
  for (const ValidationGroup& one : report.summary())
    if (one.group == group) return one.rows;
  return 0;
}

TEST(NocSession, EveryRowThatAProgramCanMakeIsInsideItsBand) {
  NocSessionRuns runs(kSessionTable, {.measured = 5000});
  ValidationReport report;
  runs.compare(report);
  EXPECT_TRUE(report.ok()) << to_text(report, false);
  EXPECT_GE(rows_of(report, "on a Session, latency to 60 % of saturation"), 129);
  EXPECT_GE(rows_of(report, "on a Session, throughput"), 20);
  for (const LeftOutRow& row : report.left_out) EXPECT_NE(row.why.find("a program has an end"), std::string::npos);
}

// Without load a packet takes the zero-load latency of the reference: no fetch, port or unit of the machine is in it.
TEST(NocSession, WithoutLoadTheWayIsAllThereIs) {
  NocReferenceRow row;
  row.topology = "mesh4x4", row.nodes = 16, row.packet = "5", row.traffic = "neighbor", row.offered = 0.01;
  Session session(noc_session_chip(row, kChipGroupFlits));
  const RunResult result = session.run(noc_session_program(row, session.hardware(), 2000, 3));
  // 7 + 5 h and four flits behind the first, h of (x + 1, y + 1) mod 4: 2 nine times, 4 six times, 6 once.
  const double hops = (9 * 2 + 6 * 4 + 6) / 16.0;
  EXPECT_NEAR(noc_session_latency(row, result), 7 + 5 * hops + 4, 1.5);
}

}  // namespace
}  // namespace tilewright
