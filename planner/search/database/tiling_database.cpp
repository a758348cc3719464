#include "planner/search/database/tiling_database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "planner/search/database/row_check.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr int kPatience = 60'000;  // milliseconds

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
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::status_known(status)) throw UserError(path, "cannot be read: " + error.message());
  if (std::filesystem::is_directory(status)) throw UserError(path, "is a folder, expected a tiling database");
  if (mode != TilingDatabase::Mode::kWrite && !std::filesystem::exists(status))
    throw UserError(path, "there is no such file");
  return path;
}

bool is_empty(SQLite::Database& db) { return db.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0; }

// Two processes may find the same empty file: the second sees the tables of the first.
void create_tables(SQLite::Database& db) {
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  if (is_empty(db)) create_tiling_tables(db);
  transaction.commit();
}

std::vector<std::string> texts_of(const TilingContext& context) {
  return {context.hardware, context.simulator, std::string(name_of(context.objective)), context.layout};
}

// The first columns of an answer and of a setting.
TilingContext context_from(const std::vector<std::string>& texts, const std::string& path) {
  return {texts.at(0), texts.at(1), parse_objective(texts.at(2), path), texts.at(3)};
}

// Of an answer and of a setting: the context and `more`.
std::vector<std::string> row_of(const TilingContext& context, std::initializer_list<std::string> more) {
  std::vector<std::string> texts = texts_of(context);
  texts.insert(texts.end(), more);
  return texts;
}

void add_fault(const std::vector<std::string>& record, std::vector<std::string>& faults) {
  try {
    record_from_texts(record, "record");
  } catch (const UserError& error) {
    faults.emplace_back(error.what());
  }
}

// Where nobody may write, SQLite can make no shared memory beside a file; without a journal to be read it needs none.
bool is_still(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  std::error_code none;
  const auto journal = std::filesystem::file_size(path + "-wal", none);
  return faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) != 0 && (none || journal == 0);
}

std::string uri_of(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path)
    uri += std::string_view("?#%").find(c) != std::string_view::npos ? fmt::format("%{:02X}", c) : std::string(1, c);
  return uri + "?immutable=1";
}

int flags_of(TilingDatabase::Mode mode) {
  return mode == TilingDatabase::Mode::kRead ? SQLite::OPEN_READONLY | SQLite::OPEN_URI
                                             : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
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
        db(mode == Mode::kRead && is_still(path) ? uri_of(path) : path, flags_of(mode), kPatience) {}

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
    check_tiling_tables(db, path);
  });
}

TilingDatabase::~TilingDatabase() = default;

void TilingDatabase::put(const std::vector<TilingRecord>& records) {
  impl_->transact([&] {
    for (const TilingRecord& record : records) write_row(impl_->db, "REPLACE", "record", record_texts(record));
  });
}

std::vector<TilingRecord> TilingDatabase::records() const {
  return guarded(impl_->path, [&] {
    std::vector<TilingRecord> records;
    for (const auto& texts : checked_rows(impl_->db, impl_->path, "record"))
      records.push_back(record_from_texts(texts, impl_->path));
    std::sort(records.begin(), records.end());
    return records;
  });
}

void TilingDatabase::put_answer(const TilingContext& context, const std::string& query, const std::string& answer) {
  impl_->transact([&] { write_row(impl_->db, "REPLACE", "answer", row_of(context, {query, answer})); });
}

std::map<std::string, std::string> TilingDatabase::answers(const TilingContext& context) const {
  return guarded(impl_->path, [&] {
    std::map<std::string, std::string> answers;
    for (const auto& texts : checked_rows(impl_->db, impl_->path, "answer"))
      if (context_from(texts, impl_->path) == context) answers[texts.at(4)] = texts.at(5);
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
      const std::vector<std::string> texts = texts_of(context);
      for (std::size_t i = 0; i < texts.size(); ++i) gone.bind(static_cast<int>(i) + 1, texts[i]);
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
  impl_->transact([&] { write_row(impl_->db, "IGNORE", "setting", row_of(context, {settings})); });
}

std::vector<std::pair<TilingContext, std::string>> TilingDatabase::settings() const {
  return guarded(impl_->path, [&] {
    std::vector<std::pair<TilingContext, std::string>> all;
    for (const auto& texts : checked_rows(impl_->db, impl_->path, "setting"))
      all.emplace_back(context_from(texts, impl_->path), texts.at(4));
    return all;
  });
}

std::vector<std::string> TilingDatabase::faults() const {
  return guarded(impl_->path, [&] {
    std::vector<std::string> faults;
    SQLite::Statement check(impl_->db, "PRAGMA integrity_check");
    while (check.executeStep())
      if (const std::string text = check.getColumn(0).getString(); text != "ok") faults.push_back(text);
    for (const auto& texts : checked_rows(impl_->db, impl_->path, "record", &faults)) add_fault(texts, faults);
    for (const char* table : {"answer", "setting"}) checked_rows(impl_->db, impl_->path, table, &faults);
    return faults;
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
