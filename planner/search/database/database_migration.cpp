#include "planner/search/database/database_migration.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <map>

#include "planner/search/database/new_database.h"
#include "planner/search/database/row_check.h"
#include "planner/search/database/sqlite_fault.h"
#include "planner/search/database/tiling_database.h"

namespace tilewright {
namespace {

// One without checksums, one with.
constexpr int kFirstSchema = 1, kFirstWithChecksums = 2;
constexpr std::size_t kContextTexts = 4;
constexpr std::size_t kRecordLayout = 7;  // column of a record

// Rows of schema 1 and 2: those of today without what came later.
class OldDatabase {
 public:
  OldDatabase(SQLite::Database& db, const std::string& path, int version) : db_(db), path_(path), version_(version) {
    visit("setting", [&](const std::vector<std::string>& row) {
      settings_[{row.begin(), row.begin() + kContextTexts}] = row.at(kContextTexts);
    });
  }

  void copy_to(TilingDatabase& target) const {
    std::vector<TilingRecord> records;
    visit("record", [&](std::vector<std::string> row) {
      const std::vector<std::string> context{row.at(0), row.at(1), row.at(2), row.at(kRecordLayout)};
      const auto settings = settings_.find(context);
      row.push_back(settings == settings_.end() ? "" : settings->second);
      records.push_back(record_from_texts(row, path_));
    });
    target.put(records);
    visit("answer", [&](const std::vector<std::string>& row) {
      target.put_answer({row.at(0), row.at(1), parse_objective(row.at(2), path_), row.at(3)}, row.at(4), row.at(5));
    });
  }

 private:
  void visit(std::string_view table, const RowVisit& visit) const {
    if (version_ >= kFirstWithChecksums) return visit_table(db_, path_, table, visit);
    SQLite::Statement rows(db_, fmt::format("SELECT * FROM {}", table));
    while (rows.executeStep()) {
      std::vector<std::string> texts;
      for (int i = 0; i < rows.getColumnCount(); ++i) texts.push_back(rows.getColumn(i).getString());
      visit(texts);
    }
  }

  SQLite::Database& db_;
  const std::string& path_;
  const int version_;
  std::map<std::vector<std::string>, std::string> settings_;
};

// Whether there was anything to do.
bool write_migrated(const std::string& path, const std::string& target) {
  SQLite::Database db(path, SQLite::OPEN_READWRITE);
  const int version = tiling_schema_version(db, path);
  if (version == kTilingSchemaVersion) return false;
  if (version < kFirstSchema || version > kTilingSchemaVersion)
    throw UserError(path, fmt::format("has schema version {}, this program knows {}", version, kTilingSchemaVersion));
  check_pages(db, path);
  TilingDatabase migrated(target, TilingDatabase::Mode::kWrite);
  OldDatabase(db, path, version).copy_to(migrated);
  return true;
}

}  // namespace

bool migrate_database(const std::string& path) {
  return guard_sqlite(path, [&] {
    NewDatabase fresh(path);
    if (!write_migrated(path, fresh.path())) return false;
    fresh.take_place();
    return true;
  });
}

}  // namespace tilewright
