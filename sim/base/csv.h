// CSV as RFC 4180 has it, plus comments: a line that begins with '#' is skipped, so is an empty one, and blanks around
// a field do not count.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilewright {

// A field of a line to be written: in quotes where commas, quotes or line ends need them.
std::string csv_field(const std::string& text);
// All fields, commas between them and the line's end.
std::string csv_line(const std::vector<std::string>& fields);

struct CsvLine {
  std::string where;  // "file:line" of its first character
  std::vector<std::string> fields;
};

// UserError(file:line) for a file that cannot be read, a quote inside an unquoted field or one that is never closed,
// and a line of more than 4096 characters.
std::vector<CsvLine> read_csv_lines(const std::string& path);

// A line below a header. What a getter cannot give is a UserError with the place.
class CsvRow {
 public:
  using Columns = std::map<std::string, std::size_t>;  // name -> position
  CsvRow(std::shared_ptr<const Columns> columns, CsvLine line);

  const std::string& where() const { return line_.where; }
  bool has(const std::string& column) const { return columns_->count(column) > 0; }
  const std::string& text(const std::string& column) const;
  double number(const std::string& column) const;
  // `fallback` for an empty field.
  double number_or(const std::string& column, double fallback) const;
  // A whole number of at least 1.
  std::int64_t count(const std::string& column) const;

 private:
  std::shared_ptr<const Columns> columns_;
  CsvLine line_;
};

// The first line names the columns. UserError like read_csv_lines(), for a table without a row, for a column named
// twice and for a row with too few or too many fields.
std::vector<CsvRow> read_csv_table(const std::string& path);

}  // namespace tilewright
