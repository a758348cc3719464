// Tables of reference figures: CSV with a header, comments after '#', fields in double quotes where they hold commas.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tilewright {

class ReferenceRow {
 public:
  ReferenceRow(std::string where, std::map<std::string, std::string> fields)
      : where_(std::move(where)), fields_(std::move(fields)) {}

  const std::string& where() const { return where_; }  // "file:line"
  // UserError when the table has no such column.
  const std::string& text(const std::string& column) const;
  // UserError when the field is no number, or no whole number of at least 1.
  double number(const std::string& column) const;
  std::int64_t count(const std::string& column) const;

 private:
  std::string where_;
  std::map<std::string, std::string> fields_;
};

// UserError for a file that cannot be read, holds no row or a row with too few or too many fields.
std::vector<ReferenceRow> read_reference_table(const std::string& path);

}  // namespace tilewright
