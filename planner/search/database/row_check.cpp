#include "planner/search/database/row_check.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "planner/search/database/tiling_record.h"
#include "sim/base/error.h"
#include "sim/base/hash.h"

namespace tilewright {
namespace {

constexpr int kApplicationId = 0x54574442;  // "TWDB"
constexpr std::string_view kContext =
    "hardware TEXT NOT NULL, simulator TEXT NOT NULL, objective TEXT NOT NULL, layout TEXT NOT NULL";
constexpr std::string_view kContextKey = "hardware, simulator, objective, layout";

struct Table {
  std::string name, create;
  std::size_t keys;  // its first columns
};

bool is_number(const std::string& column) {
  constexpr std::array kNumbers{"cycles",          "energy_pj",   "macs", "dram_read_bytes", "dram_written_bytes",
                                "utilisation_ppm", "bound_cycles"};
  return std::ranges::find(kNumbers, column) != kNumbers.end();
}

// As plain as tables can be: whole numbers and text, a key per table.
const std::vector<Table>& tables() {
  static const std::vector<Table> kTables = [] {
    std::string columns;
    for (const std::string& column : record_columns())
      columns += fmt::format("{} {} NOT NULL, ", column, is_number(column) ? "INTEGER" : "TEXT");
    const auto end = [](std::string_view key, std::string_view more) {
      return fmt::format("checksum TEXT NOT NULL, PRIMARY KEY({}{})) WITHOUT ROWID", key, more);
    };
    return std::vector<Table>{
        {"record",
         fmt::format("CREATE TABLE record({}{}", columns,
                     end("hardware, simulator, objective, operator, dims, type, attributes, layout, kind, parent", "")),
         10},
        {"answer",
         fmt::format("CREATE TABLE answer({}, query TEXT NOT NULL, answer TEXT NOT NULL, {}", kContext,
                     end(kContextKey, ", query")),
         5},
        {"setting", fmt::format("CREATE TABLE setting({}, settings TEXT NOT NULL, {}", kContext, end(kContextKey, "")),
         4}};
  }();
  return kTables;
}

const Table& table_named(std::string_view name) {
  const auto found = std::ranges::find(tables(), name, &Table::name);
  SIM_CHECK(found != tables().end(), "no table '{}'", name);
  return *found;
}

int pragma(SQLite::Database& db, const char* name) { return db.execAndGet(fmt::format("PRAGMA {}", name)).getInt(); }

// Length before text: no two rows are the same bytes.
std::string checksum_of(std::string_view table, const std::vector<std::string>& texts) {
  std::uint64_t hash = fnv1a(table);
  for (const std::string& text : texts) hash = fnv1a(text, fnv1a(fmt::format("{}:", text.size()), hash));
  return fmt::format("{:016x}", hash);
}

std::vector<std::string> texts_of(SQLite::Statement& row) {
  std::vector<std::string> texts;
  for (int i = 0; i < row.getColumnCount(); ++i) texts.push_back(row.getColumn(i).getString());
  return texts;
}

// Empty for a row as it was written.
std::string fault_of_row(const Table& table, std::vector<std::string>& texts) {
  const std::string checksum = std::move(texts.back());
  texts.pop_back();
  if (checksum == checksum_of(table.name, texts)) return {};
  return fmt::format("{} '{}' does not match its checksum: damaged, or changed by another program", table.name,
                     fmt::join(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(table.keys), " "));
}

}  // namespace

void create_tiling_tables(SQLite::Database& db) {
  for (const Table& table : tables()) db.exec(table.create);
  db.exec(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplicationId, kTilingSchemaVersion));
}

void check_tiling_tables(SQLite::Database& db, const std::string& path) {
  if (pragma(db, "application_id") != kApplicationId) throw UserError(path, "is another program's database");
  const int version = pragma(db, "user_version");
  if (version != kTilingSchemaVersion)
    throw UserError(path, fmt::format("has schema version {}, this program knows {}", version, kTilingSchemaVersion));
  std::size_t found = 0;
  SQLite::Statement rows(db, "SELECT type, name, sql FROM sqlite_master ORDER BY name");
  for (; rows.executeStep(); ++found) {
    const std::string type = rows.getColumn(0).getString(), name = rows.getColumn(1).getString();
    const auto ours = std::ranges::find(tables(), name, &Table::name);
    if (type != "table" || ours == tables().end())
      throw UserError(path, fmt::format("has a {} '{}', which no tiling database has", type, name));
    if (rows.getColumn(2).getString() != ours->create)
      throw UserError(path, fmt::format("has other columns in its table '{}' than a tiling database", name));
  }
  if (found != tables().size()) throw UserError(path, "lacks tables of a tiling database");
  if (db.execAndGet("PRAGMA quick_check(1)").getString() != "ok") throw UserError(path, "is damaged");
}

void write_row(SQLite::Database& db, std::string_view conflict, std::string_view table,
               std::vector<std::string> texts) {
  texts.push_back(checksum_of(table, texts));
  const std::vector<std::string> marks(texts.size(), "?");
  SQLite::Statement insert(db, fmt::format("INSERT OR {} INTO {} VALUES({})", conflict, table, fmt::join(marks, ",")));
  for (std::size_t i = 0; i < texts.size(); ++i) insert.bind(static_cast<int>(i) + 1, texts[i]);
  insert.exec();
}

std::vector<std::vector<std::string>> checked_rows(SQLite::Database& db, const std::string& path,
                                                   std::string_view table, std::vector<std::string>* faults) {
  std::vector<std::vector<std::string>> rows;
  SQLite::Statement found(db, fmt::format("SELECT * FROM {}", table));
  while (found.executeStep()) {
    rows.push_back(texts_of(found));
    const std::string fault = fault_of_row(table_named(table), rows.back());
    if (fault.empty()) continue;
    if (!faults) throw UserError(path, fault);
    faults->push_back(fault);
    rows.pop_back();
  }
  return rows;
}

}  // namespace tilewright
