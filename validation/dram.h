// Our DRAM controller beside the published simulators, stream by stream.
#pragma once

#include <string>

#include "validation/dram_stream.h"
#include "validation/report.h"

namespace tilewright {

// The simulator that rows are compared with.
inline constexpr char kDramReference[] = "ramulator2.1";

// One row of tests/reference/dram/dram.csv.
struct DramReferenceRow {
  std::string simulator, memory, mapping, pattern, rate;
  bool primary = false;  // the variant of its simulator that is compared with
  int percent_of_peak = 0;
  bool overloaded = false;
  double bytes_per_clock = 0, row_hit_rate = 0;
  double mean_latency = 0, p99_latency = 0;                  // from acceptance
  double arrival_mean_latency = 0, arrival_p99_latency = 0;  // from when it was due; 0: not given
  // "DDR4 M1 seq_read open 50"
  std::string name() const;
};

// UserError for a file that cannot be read or a row that is not understood.
std::vector<DramReferenceRow> read_dram_reference(const std::string& csv_path);

// The memory a row describes: "DDR4..." or "HBM2...", mapping "M1..." or "M2...".
DramSpec reference_dram_spec(const std::string& memory, const std::string& mapping);

// Runs every primary Ramulator stream of `csv_path` and compares bandwidth, latency and row-hit rate. Bands, in
// percent: bandwidth of saturated and closed32 streams 2 (HBM2 random 3.5, and 5 outside the range of Ramulator and
// DRAMSys for the patterns their policies disagree on), mean latency of open streams 5 (mixed reads and writes 15), p99
// 10; row-hit rate 2 points.
ValidationReport validate_dram(const std::string& csv_path);

}  // namespace tilewright
