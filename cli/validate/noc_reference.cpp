#include "cli/validate/noc_reference.h"

#include <charconv>
#include <fstream>
#include <map>

#include "sim/base/error.h"

namespace tilewright {
namespace {

// Fields may be quoted; quotes inside quotes do not occur in this table.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

class Table {
 public:
  Table(std::string path, const std::string& header) : path_(std::move(path)) {
    for (const std::string& name : split(header)) columns_.emplace(name, columns_.size());
  }

  void next(int line, const std::string& text) {
    line_ = line;
    fields_ = split(text);
    if (fields_.size() != columns_.size())
      throw UserError(where(), fmt::format("got {} fields, expected {}", fields_.size(), columns_.size()));
  }

  const std::string& text(const std::string& column) const {
    const auto found = columns_.find(column);
    if (found == columns_.end()) throw UserError(path_ + ":1", fmt::format("column '{}' is missing", column));
    return fields_[found->second];
  }

  // An empty field is 0.
  double number(const std::string& column) const {
    const std::string& field = text(column);
    double value = 0;
    if (field.empty()) return value;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size())
      throw UserError(where(), fmt::format("{}: got '{}', expected a number", column, field));
    return value;
  }

 private:
  std::string where() const { return fmt::format("{}:{}", path_, line_); }

  std::string path_;
  std::map<std::string, std::size_t> columns_;
  std::vector<std::string> fields_;
  int line_ = 1;
};

NocReferenceRow row_of(const Table& table) {
  NocReferenceRow row;
  row.topology = table.text("topology");
  row.nodes = static_cast<int>(table.number("nodes"));
  row.link_cycles = static_cast<int>(table.number("channel_latency"));
  row.packet = table.text("packet_flits");
  row.traffic = table.text("traffic");
  row.offered = table.number("offered_rate");
  row.throughput = table.text("mode") == "throughput";
  row.partly_unstable = table.text("status").starts_with("partly_unstable");
  row.latency = table.number("avg_packet_latency");
  row.accepted = table.number("accepted_flits_node_cycle");
  row.zero_load = table.number("zero_load_latency_formula");
  row.saturation = table.number("saturation_rate_stable");
  return row;
}

}  // namespace

std::vector<NocReferenceRow> read_noc_reference(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UserError(path, "cannot be opened");
  std::string line;
  int number = 0;
  const auto next_line = [&] {
    while (std::getline(file, line) && ++number)
      if (!line.empty() && line[0] != '#') return true;
    return false;
  };
  if (!next_line()) throw UserError(path, "is empty");
  Table table(path, line);
  std::vector<NocReferenceRow> rows;
  while (next_line()) {
    table.next(number, line);
    rows.push_back(row_of(table));
  }
  return rows;
}

}  // namespace tilewright
