#include "validation/dram.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/hw/config/dram_presets.h"

namespace tilewright {
namespace {

DramReferenceRow dram_row(const CsvRow& record) {
  DramReferenceRow row;
  row.simulator = record.text("simulator");
  row.memory = record.text("memory");
  row.mapping = record.text("mapping");
  row.pattern = record.text("pattern");
  row.rate = record.text("rate_mode");
  row.primary = record.number_or("primary", 0) == 1;
  row.percent_of_peak = static_cast<int>(record.number_or("offered_pct_peak", 0));
  row.overloaded = record.number_or("overloaded", 0) == 1;
  row.bytes_per_clock = record.number_or("bytes_per_clk", 0);
  row.row_hit_rate = record.number_or("row_hit_rate", 0);
  row.mean_latency = record.number_or("rdlat_avg_clk", 0);
  row.p99_latency = record.number_or("rdlat_p99_clk", 0);
  row.arrival_mean_latency = record.number_or("rdlat_from_arrival_avg_clk", 0);
  row.arrival_p99_latency = record.number_or("rdlat_from_arrival_p99_clk", 0);
  return row;
}

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
      if (row.primary && row.simulator == kDramReference) report_.attempt("DRAM", [&] { compare(row); });
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

std::string DramReferenceRow::name() const {
  std::string text = fmt::format("{} {} {} {}", memory.substr(0, 4), mapping.substr(0, 2), pattern, rate);
  return percent_of_peak > 0 ? fmt::format("{} {}", text, percent_of_peak) : text;
}

std::vector<DramReferenceRow> read_dram_reference(const std::string& csv_path) {
  std::vector<DramReferenceRow> rows;
  for (const CsvRow& row : read_csv_table(csv_path)) rows.push_back(dram_row(row));
  return rows;
}

DramSpec reference_dram_spec(const std::string& memory, const std::string& mapping) {
  const bool ddr4 = memory.starts_with("DDR4");
  const DramPreset* preset = find_dram_preset(ddr4 ? "DDR4_2400U" : "HBM2_2000");
  SIM_CHECK(preset != nullptr, "no preset for the reference memory {}", memory);
  DramSpec spec;
  spec.clock.period_ps = preset->tck_ps;
  spec.channel_capacity = preset->channel_capacity_mib << 20;
  spec.bank_groups = preset->bank_groups;
  spec.banks_per_group = preset->banks_per_group;
  spec.row_bytes = preset->row_bytes;
  spec.burst_bytes = preset->burst_bytes;
  spec.timing = preset->timing;
  spec.dual_command_bus = !ddr4;
  const AddressSlice column{AddressField::kColumn, ddr4 ? 7 : 5}, group{AddressField::kBankGroup, 2};
  const AddressSlice bank{AddressField::kBank, 2}, row{AddressField::kRow, ddr4 ? 16 : 15};
  if (mapping.starts_with("M1"))
    spec.mapping = {column, group, bank, row};
  else
    spec.mapping = {group, bank, column, row};
  return spec;
}

ValidationReport validate_dram(const std::string& csv_path) { return Comparison(read_dram_reference(csv_path)).run(); }

}  // namespace tilewright
