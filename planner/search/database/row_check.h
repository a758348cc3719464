// How damage to a tiling database is noticed: every row ends in a checksum of its other columns, and the file has the
// tables of its schema and nothing else. Checksums (FNV-1a) tell damage and edits by hand, not an adversary.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace SQLite {
class Database;
class Statement;
}  // namespace SQLite

namespace tilewright {

// 1 had no checksums; 2 no places (record_place.h), and one setting for all records of a chip.
inline constexpr int kTilingSchemaVersion = 3;

// Of a file of ours; UserError naming `path` for another program's.
int tiling_schema_version(SQLite::Database& db, const std::string& path);
// Makes the tables in an empty file.
void create_tiling_tables(SQLite::Database& db);
// UserError naming `path` for a file of another program or version, or with tables, columns, views or triggers that
// create_tiling_tables() did not make.
void check_tiling_tables(SQLite::Database& db, const std::string& path);

// UserError naming `path` when a page of the file is damaged. Reads the whole file.
void check_pages(SQLite::Database& db, const std::string& path);

// Appends the checksum and writes the row; one with the same key is replaced.
void write_row(SQLite::Database& db, std::string_view table, std::vector<std::string> texts);

// Visits the rows that `found`, a "SELECT * FROM table ...", gives, as texts without their checksums. A row that does
// not match its own is a UserError naming `path` and the row; with `faults` its message is added there and the row left
// out.
using RowVisit = std::function<void(const std::vector<std::string>& texts)>;
void visit_rows(SQLite::Statement& found, const std::string& path, std::string_view table, const RowVisit& visit,
                std::vector<std::string>* faults = nullptr);
// All rows of a table.
void visit_table(SQLite::Database& db, const std::string& path, std::string_view table, const RowVisit& visit,
                 std::vector<std::string>* faults = nullptr);

// Of a row of `table`, as the last column of every row holds it.
std::string row_checksum(std::string_view table, const std::vector<std::string>& texts);

}  // namespace tilewright
