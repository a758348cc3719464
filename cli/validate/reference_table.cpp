#include "cli/validate/reference_table.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>

#include "sim/base/error.h"

namespace tilewright {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

ReferenceRow row_of(const std::string& where, const std::vector<std::string>& header,
                    const std::vector<std::string>& fields) {
  if (fields.size() != header.size())
    throw UserError(where, fmt::format("got {} fields, expected {}", fields.size(), header.size()));
  std::map<std::string, std::string> named;
  for (std::size_t i = 0; i < fields.size(); ++i) named[header[i]] = fields[i];
  return {where, std::move(named)};
}

template <typename T>
T parse(const ReferenceRow& row, const std::string& column, T least) {
  const std::string& field = row.text(column);
  T value{};
  const auto result = std::from_chars(field.data(), field.data() + field.size(), value);
  if (result.ec != std::errc() || result.ptr != field.data() + field.size() || value < least)
    throw UserError(row.where(), fmt::format("{}: got '{}', expected a number from {}", column, field, least));
  return value;
}

}  // namespace

const std::string& ReferenceRow::text(const std::string& column) const {
  const auto found = fields_.find(column);
  if (found == fields_.end()) throw UserError(where_, fmt::format("column '{}' is missing", column));
  return found->second;
}

double ReferenceRow::number(const std::string& column) const { return parse<double>(*this, column, 0); }

std::int64_t ReferenceRow::count(const std::string& column) const { return parse<std::int64_t>(*this, column, 1); }

std::vector<ReferenceRow> read_reference_table(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UserError(path, "cannot be opened");
  std::vector<std::string> header;
  std::vector<ReferenceRow> rows;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    if (header.empty())
      header = fields_of(line);
    else
      rows.push_back(row_of(fmt::format("{}:{}", path, number), header, fields_of(line)));
  }
  if (rows.empty()) throw UserError(path, "holds no rows");
  return rows;
}

}  // namespace tilewright
