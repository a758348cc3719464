#include "planner/search/database/tiling_database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr int kApplicationId = 0x54574442;  // "TWDB"
constexpr int kPatience = 60'000;           // milliseconds
constexpr const char* kContextColumns = "hardware, simulator, objective, layout";

bool is_number(const std::string& column) {
  static const std::vector<std::string> kNumbers{
      "cycles", "energy_pj", "macs", "dram_read_bytes", "dram_written_bytes", "utilisation_ppm", "bound_cycles"};
  return std::find(kNumbers.begin(), kNumbers.end(), column) != kNumbers.end();
}

// The tables, as plain as they can be: whole numbers and text, a key per table.
std::string schema() {
  std::string columns;
  for (const std::string& column : record_columns())
    columns += fmt::format("{} {} NOT NULL, ", column, is_number(column) ? "INTEGER" : "TEXT");
  return fmt::format(
      "CREATE TABLE record({}PRIMARY KEY(hardware, simulator, objective, operator, dims, type, attributes, layout, "
      "kind, parent)) WITHOUT ROWID;"
      "CREATE TABLE answer(hardware TEXT NOT NULL, simulator TEXT NOT NULL, objective TEXT NOT NULL, layout TEXT NOT "
      "NULL, query TEXT NOT NULL, answer TEXT NOT NULL, PRIMARY KEY({}, query)) WITHOUT ROWID;"
      "CREATE TABLE setting(hardware TEXT NOT NULL, simulator TEXT NOT NULL, objective TEXT NOT NULL, layout TEXT NOT "
      "NULL, settings TEXT NOT NULL, PRIMARY KEY({})) WITHOUT ROWID;"
      "PRAGMA application_id={}; PRAGMA user_version={};",
      columns, kContextColumns, kContextColumns, kApplicationId, kTilingSchemaVersion);
}

std::string fault_of(const SQLite::Exception& error) {
  switch (error.getErrorCode()) {
    case SQLITE_NOTADB:
      return "is no tiling database (no SQLite file)";
    case SQLITE_CORRUPT:
      return "is damaged";
    case SQLITE_BUSY:
      return "is being written by another process; it did not finish in time";
    case SQLITE_READONLY:
      return "cannot be written";
    case SQLITE_CANTOPEN:
      return "cannot be opened";
    case SQLITE_FULL:
      return "has no room left on its disk";
    default:
      return fmt::format("cannot be used: {}", error.getErrorStr());
  }
}

// Runs `work`; what SQLite throws becomes one message that names the file.
template <typename Work>
auto guarded(const std::string& path, Work work) {
  try {
    return work();
  } catch (const SQLite::Exception& error) {
    throw UserError(path, fault_of(error));
  }
}

std::string existing(const std::string& path, TilingDatabase::Mode mode) {
  const auto status = std::filesystem::status(path);
  if (std::filesystem::is_directory(status)) throw UserError(path, "is a folder, expected a tiling database");
  if (mode != TilingDatabase::Mode::kWrite && !std::filesystem::exists(status))
    throw UserError(path, "there is no such file");
  return path;
}

int pragma(SQLite::Database& db, const char* name) { return db.execAndGet(fmt::format("PRAGMA {}", name)).getInt(); }

bool is_empty(SQLite::Database& db) { return db.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0; }

// Two processes may find the same empty file: the second sees the tables of the first.
void create_tables(SQLite::Database& db) {
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  if (is_empty(db)) db.exec(schema());
  transaction.commit();
}

void check_file(SQLite::Database& db, const std::string& path) {
  if (pragma(db, "application_id") != kApplicationId) throw UserError(path, "is another program's database");
  const int version = pragma(db, "user_version");
  if (version != kTilingSchemaVersion)
    throw UserError(path, fmt::format("has schema version {}, this program knows {}", version, kTilingSchemaVersion));
  if (db.execAndGet("PRAGMA quick_check(1)").getString() != "ok") throw UserError(path, "is damaged");
}

std::vector<std::string> texts_of(SQLite::Statement& row) {
  std::vector<std::string> texts;
  for (int i = 0; i < row.getColumnCount(); ++i) texts.push_back(row.getColumn(i).getString());
  return texts;
}

void bind_context(SQLite::Statement& statement, const TilingContext& context) {
  statement.bind(1, context.hardware);
  statement.bind(2, context.simulator);
  statement.bind(3, std::string(name_of(context.objective)));
  statement.bind(4, context.layout);
}

TilingContext context_of(SQLite::Statement& row, const std::string& path) {
  return {row.getColumn(0).getString(), row.getColumn(1).getString(),
          parse_objective(row.getColumn(2).getString(), path), row.getColumn(3).getString()};
}

std::string insert_record(const char* conflict) {
  std::vector<std::string> marks(record_columns().size(), "?");
  return fmt::format("INSERT OR {} INTO record VALUES({})", conflict, fmt::join(marks, ","));
}

// SQLite waits for no other process when it changes the journal: two that make the same file have to take turns here.
void write_ahead(SQLite::Database& db) {
  constexpr int kPause = 10;  // ms
  for (int waited = 0;; waited += kPause) {
    try {
      db.exec("PRAGMA journal_mode=WAL");
      return;
    } catch (const SQLite::Exception& error) {
      if (error.getErrorCode() != SQLITE_BUSY || waited >= kPatience) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(kPause));
  }
}

}  // namespace

struct TilingDatabase::Impl {
  std::string path;
  mutable SQLite::Database db;

  Impl(const std::string& name, Mode mode)
      : path(existing(name, mode)),
        db(path, mode == Mode::kRead ? SQLite::OPEN_READONLY : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
           kPatience) {}

  void write(const std::vector<TilingRecord>& records) {
    SQLite::Statement insert(db, insert_record("REPLACE"));
    for (const TilingRecord& record : records) {
      const std::vector<std::string> texts = record_texts(record);
      for (std::size_t i = 0; i < texts.size(); ++i) insert.bind(static_cast<int>(i) + 1, texts[i]);
      insert.exec();
      insert.reset();
    }
  }

  template <typename Work>
  void transact(Work work) {
    guarded(path, [&] {
      SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
      work();
      transaction.commit();
    });
  }
};

TilingDatabase::TilingDatabase(const std::string& path, Mode mode) {
  guarded(path, [&] {
    impl_ = std::make_unique<Impl>(path, mode);
    SQLite::Database& db = impl_->db;
    if (mode == Mode::kWrite && is_empty(db)) {
      write_ahead(db);
      create_tables(db);
    }
    // Survives the death of this process at any moment; the last answers may be lost with the machine's power.
    if (mode != Mode::kRead) db.exec("PRAGMA synchronous=NORMAL");
    check_file(db, path);
  });
}

TilingDatabase::~TilingDatabase() = default;

void TilingDatabase::put(const std::vector<TilingRecord>& records) {
  impl_->transact([&] { impl_->write(records); });
}

std::vector<TilingRecord> TilingDatabase::records() const {
  return guarded(impl_->path, [&] {
    std::vector<TilingRecord> records;
    SQLite::Statement rows(impl_->db, "SELECT * FROM record");
    while (rows.executeStep()) records.push_back(record_from_texts(texts_of(rows), impl_->path));
    std::sort(records.begin(), records.end());
    return records;
  });
}

void TilingDatabase::put_answer(const TilingContext& context, const std::string& query, const std::string& answer) {
  impl_->transact([&] {
    SQLite::Statement insert(impl_->db, "INSERT OR REPLACE INTO answer VALUES(?,?,?,?,?,?)");
    bind_context(insert, context);
    insert.bind(5, query);
    insert.bind(6, answer);
    insert.exec();
  });
}

std::map<std::string, std::string> TilingDatabase::answers(const TilingContext& context) const {
  return guarded(impl_->path, [&] {
    std::map<std::string, std::string> answers;
    SQLite::Statement rows(impl_->db,
                           "SELECT query, answer FROM answer WHERE hardware=? AND simulator=? AND "
                           "objective=? AND layout=?");
    bind_context(rows, context);
    while (rows.executeStep()) answers[rows.getColumn(0).getString()] = rows.getColumn(1).getString();
    return answers;
  });
}

void TilingDatabase::forget_answers() {
  impl_->transact([&] { impl_->db.exec("DELETE FROM answer"); });
  guarded(impl_->path, [&] { impl_->db.exec("VACUUM"); });
}

void TilingDatabase::remove(const TilingContext& context) {
  impl_->transact([&] {
    for (const char* table : {"record", "answer", "setting"}) {
      SQLite::Statement gone(impl_->db, fmt::format("DELETE FROM {} WHERE hardware=? AND simulator=? AND objective=? "
                                                    "AND layout=?",
                                                    table));
      bind_context(gone, context);
      gone.exec();
    }
  });
  guarded(impl_->path, [&] { impl_->db.exec("VACUUM"); });
}

void TilingDatabase::claim_settings(const TilingContext& context, const std::string& settings) {
  for (const auto& [known, theirs] : this->settings())
    if (known == context && theirs != settings)
      throw UserError(impl_->path, fmt::format("was built with '{}' for this chip, got '{}': continue with the same "
                                               "settings or build another file",
                                               theirs, settings));
  impl_->transact([&] {
    SQLite::Statement insert(impl_->db, "INSERT OR IGNORE INTO setting VALUES(?,?,?,?,?)");
    bind_context(insert, context);
    insert.bind(5, settings);
    insert.exec();
  });
}

std::vector<std::pair<TilingContext, std::string>> TilingDatabase::settings() const {
  return guarded(impl_->path, [&] {
    std::vector<std::pair<TilingContext, std::string>> all;
    SQLite::Statement rows(impl_->db, "SELECT * FROM setting");
    while (rows.executeStep()) all.emplace_back(context_of(rows, impl_->path), rows.getColumn(4).getString());
    return all;
  });
}

void TilingDatabase::merge(const TilingDatabase& other) {
  std::map<std::vector<std::string>, std::vector<std::string>> here;
  const auto key_of = [](const TilingRecord& r) {
    const auto texts = record_texts(r);
    return std::vector<std::string>(texts.begin(), texts.begin() + 10);  // up to the parent
  };
  for (const TilingRecord& record : records()) here[key_of(record)] = record_texts(record);
  const std::vector<TilingRecord> theirs = other.records();
  for (const TilingRecord& record : theirs)
    if (const auto found = here.find(key_of(record)); found != here.end() && found->second != record_texts(record))
      throw UserError(other.impl_->path,
                      fmt::format("'{}' has another value in {}", to_string(record.shape), impl_->path));
  for (const auto& [context, settings] : other.settings()) {
    claim_settings(context, settings);
    for (const auto& [query, answer] : other.answers(context)) put_answer(context, query, answer);
  }
  put(theirs);
}

void TilingDatabase::set_patience(int milliseconds) { impl_->db.setBusyTimeout(milliseconds); }

}  // namespace tilewright
