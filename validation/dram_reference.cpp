#include <fmt/format.h>

#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/hw/config/dram_presets.h"
#include "validation/dram.h"

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

}  // namespace tilewright
