// The two reference tables: comma separated, '#' comments, fields in double quotes may hold commas.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tilewright {

using CsvRow = std::map<std::string, std::string>;

// Rows by column name; an empty table is a failed check.
std::vector<CsvRow> read_csv(const std::string& path);

}  // namespace tilewright
