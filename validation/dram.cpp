#include "validation/dram.h"

#include <algorithm>

#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr char kPrimary[] = "ramulator2.1";
constexpr char kOther[] = "dramsys5.1";

DramStream stream_of(const DramReferenceRow& row) {
  const auto pattern = parse_dram_pattern(row.pattern);
  if (!pattern) throw UserError(row.name(), "unknown DRAM pattern '" + row.pattern + "'");
  const auto rate = parse_dram_rate(row.rate);
  if (!rate) throw UserError(row.name(), "unknown rate mode '" + row.rate + "'");
  return {.pattern = *pattern, .rate = *rate, .percent_of_peak = row.percent_of_peak};
}

// Patterns whose bandwidth depends on the drain and page policy, in which the published simulators differ.
bool policy_dependent(const DramReferenceRow& row) {
  switch (stream_of(row).pattern) {
    case DramPattern::kSeqReadWrite:
    case DramPattern::kFourStreams:
      return true;
    case DramPattern::kTiled2d:
      return !(row.memory.starts_with("DDR4") && row.mapping.starts_with("M1"));
    case DramPattern::kSeqRead:
    case DramPattern::kRandomRead:
    case DramPattern::kSameBank:
      return false;
  }
  return false;
}

class Comparison {
 public:
  explicit Comparison(std::vector<DramReferenceRow> rows) : rows_(std::move(rows)) {}

  ValidationReport run() {
    report_.title = "DRAM";
    report_.reference = "Ramulator 2.1 FRFCFS-RowHit, with DRAMSys 5.1 as the other end of policy-dependent ranges";
    for (const DramReferenceRow& row : rows_)
      if (row.primary && row.simulator == kPrimary) compare(row);
    return std::move(report_);
  }

 private:
  void compare(const DramReferenceRow& row) {
    const DramStream stream = stream_of(row);
    const DramStreamResult ours = run_stream(reference_dram_spec(row.memory, row.mapping), stream);
    compare_bandwidth(row, stream, ours);
    compare_latency(row, stream, ours);
    report_.add_share("row-hit rate", row.name(), "share", row.row_hit_rate, ours.row_hit_rate, 2.0);
  }

  void compare_bandwidth(const DramReferenceRow& row, const DramStream& stream, const DramStreamResult& ours) {
    const std::string group = row.rate + " bandwidth";
    if (policy_dependent(row)) {
      const double other = counterpart(row).bytes_per_clock;
      report_.add_range(group, row.name(), "bytes/clk", std::min(row.bytes_per_clock, other),
                        std::max(row.bytes_per_clock, other), ours.bytes_per_clock, 5.0);
      return;
    }
    const bool hbm_random = row.memory.starts_with("HBM2") && stream.pattern == DramPattern::kRandomRead;
    report_.add(group, row.name(), "bytes/clk", row.bytes_per_clock, ours.bytes_per_clock, hbm_random ? 3.5 : 2.0);
  }

  // Open streams count from when a request was due. A closed loop accepts what it offers, so there both agree.
  void compare_latency(const DramReferenceRow& row, const DramStream& stream, const DramStreamResult& ours) {
    if (stream.rate == DramRate::kSaturated || row.overloaded) return;
    const bool open = stream.rate == DramRate::kOpen;
    const double mean_band = stream.pattern == DramPattern::kSeqReadWrite ? 15.0 : 5.0;
    const std::string group = row.rate + " read latency";
    report_.add(group, row.name(), "mean clocks", open ? row.arrival_mean_latency : row.mean_latency, ours.mean_latency,
                mean_band);
    report_.add(group, row.name(), "p99 clocks", open ? row.arrival_p99_latency : row.p99_latency, ours.p99_latency,
                10.0);
  }

  const DramReferenceRow& counterpart(const DramReferenceRow& row) const {
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const DramReferenceRow& other) {
      return other.primary && other.simulator == kOther && other.name() == row.name();
    });
    // The range is then the one figure.
    return found == rows_.end() ? row : *found;
  }

  const std::vector<DramReferenceRow> rows_;
  ValidationReport report_;
};

}  // namespace

ValidationReport validate_dram(const std::string& csv_path) { return Comparison(read_dram_reference(csv_path)).run(); }

}  // namespace tilewright
