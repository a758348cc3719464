// The record of a key, read and checked alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/search/database/tiling_record.h"

namespace SQLite {
class Database;
class Statement;
}  // namespace SQLite

namespace tilewright {

// The first columns of whatever belongs to a context: hardware, simulator, objective, layout.
std::vector<std::string> context_texts(const TilingContext& context);

// To be given context_texts() and key_texts().
inline constexpr const char* kRecordOfKey =
    "SELECT * FROM record WHERE hardware=? AND simulator=? AND objective=? AND layout=? AND operator=? AND dims=? AND "
    "type=? AND attributes=? AND kind=? AND parent=?";
// What the statement finds, if anything. UserError naming `path` for a damaged one.
std::optional<TilingRecord> checked_record(SQLite::Statement& found, const std::string& path);

// The record with the key of `record`, if there is one.
std::optional<TilingRecord> record_of_key(SQLite::Database& db, const std::string& path, const TilingRecord& record);

}  // namespace tilewright
