#include "planner/search/database/row_check.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "planner/search/database/record_place.h"
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
  constexpr std::array kNumbers{"cycles",          "energy_pj",    "macs", "dram_read_bytes", "dram_written_bytes",
                                "utilisation_ppm", "bound_cycles", "rate"};
  return std::ranges::find(kNumbers, column) != kNumbers.end();
}

std::string record_table() {
  std::string columns;
  for (const auto* names : {&record_columns(), &place_columns()})
    for (const std::string& column : *names)
      columns += fmt::format("{} {} NOT NULL, ", column, is_number(column) ? "INTEGER" : "TEXT");
  return fmt::format(
      "CREATE TABLE record({}checksum TEXT NOT NULL, PRIMARY KEY(hardware, simulator, objective, operator, dims, type, "
      "attributes, layout, kind, parent)) WITHOUT ROWID",
      columns);
}

// As plain as tables can be: whole numbers and text, a key per table.
const std::vector<Table>& tables() {
  static const std::vector<Table> kTables{
      {"record", record_table(), 10},
      {"answer",
       fmt::format("CREATE TABLE answer({}, query TEXT NOT NULL, answer TEXT NOT NULL, checksum TEXT NOT NULL, PRIMARY "
                   "KEY({}, query)) WITHOUT ROWID",
                   kContext, kContextKey),
       5}};
  return kTables;
}

// Look-ups read it alone until they know which record they want (placed_records.h).
constexpr std::string_view kPlaceIndex =
    "CREATE INDEX place ON record(hardware, simulator, objective, layout, kind, family, cell, rate, extents, granules)";

// Columns that name a row in a message. Older schemas had tables that are no more.
std::size_t keys_of(std::string_view table) {
  constexpr std::size_t kContextColumns = 4;
  const auto found = std::ranges::find(tables(), table, &Table::name);
  return found == tables().end() ? kContextColumns : found->keys;
}

int pragma(SQLite::Database& db, const char* name) { return db.execAndGet(fmt::format("PRAGMA {}", name)).getInt(); }

std::vector<std::string> texts_of(SQLite::Statement& row) {
  std::vector<std::string> texts;
  for (int i = 0; i < row.getColumnCount(); ++i) texts.push_back(row.getColumn(i).getString());
  return texts;
}

// Empty for a row as it was written.
std::string fault_of_row(std::string_view table, std::vector<std::string>& texts) {
  const std::string checksum = std::move(texts.back());
  texts.pop_back();
  if (checksum == row_checksum(table, texts)) return {};
  return fmt::format("{} '{}' does not match its checksum: damaged, or changed by another program", table,
                     fmt::join(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(keys_of(table)), " "));
}

// The statement that made an object of the file; nullptr for one that no tiling database has.
const char* statement_of(std::string_view type, std::string_view name) {
  if (type == "index" && name == "place") return kPlaceIndex.data();
  const auto found = std::ranges::find(tables(), name, &Table::name);
  return type == "table" && found != tables().end() ? found->create.c_str() : nullptr;
}

void check_version(SQLite::Database& db, const std::string& path) {
  const int version = tiling_schema_version(db, path);
  if (version == kTilingSchemaVersion) return;
  throw UserError(path,
                  fmt::format("has schema version {}, this program knows {}{}", version, kTilingSchemaVersion,
                              version < kTilingSchemaVersion ? ": 'tilewright db migrate' brings it up to date" : ""));
}

}  // namespace

int tiling_schema_version(SQLite::Database& db, const std::string& path) {
  if (pragma(db, "application_id") != kApplicationId) throw UserError(path, "is another program's database");
  return pragma(db, "user_version");
}

void create_tiling_tables(SQLite::Database& db) {
  for (const Table& table : tables()) db.exec(table.create);
  db.exec(std::string(kPlaceIndex));
  db.exec(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplicationId, kTilingSchemaVersion));
}

void check_tiling_tables(SQLite::Database& db, const std::string& path) {
  check_version(db, path);
  std::size_t found = 0;
  SQLite::Statement rows(db, "SELECT type, name, sql FROM sqlite_master ORDER BY name");
  for (; rows.executeStep(); ++found) {
    const std::string type = rows.getColumn(0).getString(), name = rows.getColumn(1).getString();
    const char* ours = statement_of(type, name);
    if (!ours) throw UserError(path, fmt::format("has a {} '{}', which no tiling database has", type, name));
    if (rows.getColumn(2).getString() != ours)
      throw UserError(path, fmt::format("has other columns in its {} '{}' than a tiling database", type, name));
  }
  if (found != tables().size() + 1) throw UserError(path, "lacks tables of a tiling database");
}

void check_pages(SQLite::Database& db, const std::string& path) {
  if (db.execAndGet("PRAGMA quick_check(1)").getString() != "ok") throw UserError(path, "is damaged");
}

// Length before text: no two rows are the same bytes.
std::string row_checksum(std::string_view table, const std::vector<std::string>& texts) {
  std::uint64_t hash = fnv1a(table);
  for (const std::string& text : texts) hash = fnv1a(text, fnv1a(fmt::format("{}:", text.size()), hash));
  return fmt::format("{:016x}", hash);
}

void write_row(SQLite::Database& db, std::string_view table, std::vector<std::string> texts) {
  texts.push_back(row_checksum(table, texts));
  const std::vector<std::string> marks(texts.size(), "?");
  SQLite::Statement insert(db, fmt::format("INSERT OR REPLACE INTO {} VALUES({})", table, fmt::join(marks, ",")));
  for (std::size_t i = 0; i < texts.size(); ++i) insert.bind(static_cast<int>(i) + 1, texts[i]);
  insert.exec();
}

void visit_rows(SQLite::Statement& found, const std::string& path, std::string_view table, const RowVisit& visit,
                std::vector<std::string>* faults) {
  while (found.executeStep()) {
    std::vector<std::string> texts = texts_of(found);
    const std::string fault = fault_of_row(table, texts);
    if (fault.empty())
      visit(texts);
    else if (faults)
      faults->push_back(fault);
    else
      throw UserError(path, fault);
  }
}

void visit_table(SQLite::Database& db, const std::string& path, std::string_view table, const RowVisit& visit,
                 std::vector<std::string>* faults) {
  SQLite::Statement found(db, fmt::format("SELECT * FROM {}", table));
  visit_rows(found, path, table, visit, faults);
}

}  // namespace tilewright
