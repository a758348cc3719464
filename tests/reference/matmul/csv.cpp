#include "tests/reference/matmul/csv.h"

#include <fstream>

#include "sim/base/error.h"

namespace tilewright {
namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

}  // namespace

std::vector<CsvRow> read_csv(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> header;
  std::vector<CsvRow> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields = split(line);
    if (header.empty()) {
      header = fields;
      continue;
    }
    SIM_CHECK(fields.size() == header.size(), "{}: row '{}'", path, line);
    CsvRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) row[header[i]] = fields[i];
  }
  SIM_CHECK(!rows.empty(), "{} holds no rows", path);
  return rows;
}

}  // namespace tilewright
