// How damage to a tiling database is noticed: every row ends in a checksum of its other columns, and the file has the
// tables of its schema and nothing else. Checksums (FNV-1a) tell damage and edits by hand, not an adversary.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace SQLite {
class Database;
}

namespace tilewright {

inline constexpr int kTilingSchemaVersion = 2;  // 1 had no checksums

// Makes the tables in an empty file.
void create_tiling_tables(SQLite::Database& db);
// UserError naming `path` for a file of another program or version, or with tables, columns, views or triggers that
// create_tiling_tables() did not make.
void check_tiling_tables(SQLite::Database& db, const std::string& path);

// Appends the checksum and writes the row; `conflict`: REPLACE or IGNORE, what becomes of one with the same key.
void write_row(SQLite::Database& db, std::string_view conflict, std::string_view table, std::vector<std::string> texts);

// The rows of a table as texts without their checksums. A row that does not match its own is a UserError naming `path`
// and the row; with `faults` its message is added there and the row left out.
std::vector<std::vector<std::string>> checked_rows(SQLite::Database& db, const std::string& path,
                                                   std::string_view table, std::vector<std::string>* faults = nullptr);

}  // namespace tilewright
