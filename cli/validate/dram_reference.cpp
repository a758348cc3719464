#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <map>

#include "cli/validate/dram.h"
#include "sim/base/error.h"
#include "sim/hw/dram_presets.h"

namespace tilewright {
namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields{""};
  for (char c : line) {
    if (c == ',')
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

// One line of the file with the names of its columns.
class Record {
 public:
  Record(const std::map<std::string, std::size_t>& columns, const std::string& line, std::string where)
      : columns_(columns), fields_(split(line)), where_(std::move(where)) {
    if (fields_.size() != columns.size())
      throw UserError(where_, fmt::format("{} fields, the header has {}", fields_.size(), columns.size()));
  }

  const std::string& text(const std::string& column) const {
    const auto found = columns_.find(column);
    if (found == columns_.end()) throw UserError(where_, "no column '" + column + "' in the header");
    return fields_[found->second];
  }

  // 0 for an empty field.
  double number(const std::string& column) const {
    const std::string& field = text(column);
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (!field.empty() && (error != std::errc() || end != field.data() + field.size()))
      throw UserError(where_, fmt::format("{}: got '{}', expected a number", column, field));
    return value;
  }

 private:
  const std::map<std::string, std::size_t>& columns_;
  std::vector<std::string> fields_;
  std::string where_;
};

DramReferenceRow row_of(const Record& record) {
  DramReferenceRow row;
  row.simulator = record.text("simulator");
  row.memory = record.text("memory");
  row.mapping = record.text("mapping");
  row.pattern = record.text("pattern");
  row.rate = record.text("rate_mode");
  row.primary = record.number("primary") == 1;
  row.percent_of_peak = static_cast<int>(record.number("offered_pct_peak"));
  row.overloaded = record.number("overloaded") == 1;
  row.bytes_per_clock = record.number("bytes_per_clk");
  row.row_hit_rate = record.number("row_hit_rate");
  row.mean_latency = record.number("rdlat_avg_clk");
  row.p99_latency = record.number("rdlat_p99_clk");
  row.arrival_mean_latency = record.number("rdlat_from_arrival_avg_clk");
  row.arrival_p99_latency = record.number("rdlat_from_arrival_p99_clk");
  return row;
}

}  // namespace

std::string DramReferenceRow::name() const {
  std::string text = fmt::format("{} {} {} {}", memory.substr(0, 4), mapping.substr(0, 2), pattern, rate);
  return percent_of_peak > 0 ? fmt::format("{} {}", text, percent_of_peak) : text;
}

std::vector<DramReferenceRow> read_dram_reference(const std::string& csv_path) {
  std::ifstream file(csv_path);
  if (!file) throw UserError(csv_path, "cannot be read");
  std::string line;
  std::getline(file, line);
  std::map<std::string, std::size_t> columns;
  for (const std::string& name : split(line)) columns.emplace(name, columns.size());
  std::vector<DramReferenceRow> rows;
  for (int number = 2; std::getline(file, line); ++number)
    if (!line.empty()) rows.push_back(row_of(Record(columns, line, fmt::format("{}:{}", csv_path, number))));
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
