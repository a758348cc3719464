#include "planner/search/database/tiling_database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "planner/search/database/keyed_record.h"
#include "planner/search/database/record_place.h"
#include "planner/search/database/row_check.h"
#include "planner/search/database/sqlite_fault.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr int kPatience = 60'000;  // milliseconds

std::string existing(const std::string& path, TilingDatabase::Mode mode) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::status_known(status)) throw UserError(path, "cannot be read: " + error.message());
  if (std::filesystem::is_directory(status)) throw UserError(path, "is a folder, expected a tiling database");
  if (mode != TilingDatabase::Mode::kWrite && !std::filesystem::exists(status))
    throw UserError(path, "there is no such file");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw UserError(path, "is a device or a pipe, expected a tiling database");
  return path;
}

bool is_empty(SQLite::Database& db) { return db.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0; }

// Two processes may find the same empty file: the second sees the tables of the first.
void create_tables(SQLite::Database& db) {
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  if (is_empty(db)) create_tiling_tables(db);
  transaction.commit();
}

// The first columns of an answer.
TilingContext context_from(const std::vector<std::string>& texts, const std::string& path) {
  return {texts.at(0), texts.at(1), parse_objective(texts.at(2), path), texts.at(3)};
}

// Of an answer: the context and `more`.
std::vector<std::string> row_of(const TilingContext& context, std::initializer_list<std::string> more) {
  std::vector<std::string> texts = context_texts(context);
  texts.insert(texts.end(), more);
  return texts;
}

void add_fault(const std::vector<std::string>& record, std::vector<std::string>& faults) {
  try {
    record_from_row(record, "record");
  } catch (const UserError& error) {
    faults.emplace_back(error.what());
  }
}

// Of two records with one key: whether `added` takes the place of `kept`.
bool replaces(const TilingRecord& added, const TilingRecord& kept) {
  if (added.settings == kept.settings) return true;
  const double new_value = value_of(added.cost, added.context.objective);
  const double old_value = value_of(kept.cost, kept.context.objective);
  return new_value != old_value ? new_value < old_value : record_texts(added) < record_texts(kept);
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

  std::optional<TilingRecord> with_key_of(const TilingRecord& record) const { return record_of_key(db, path, record); }
  // `kept`: with_key_of() it.
  void put(const TilingRecord& record, const std::optional<TilingRecord>& kept) {
    if (!kept || replaces(record, *kept)) write_row(db, "record", row_texts(record));
  }
  // Of a database that is merged into this one; `from`: its file.
  void add_record(const TilingRecord& record, const std::string& from);

  template <typename Work>
  void transact(Work work) {
    guard_sqlite(path, [&] {
      SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
      work();
      transaction.commit();
    });
  }
};

TilingDatabase::TilingDatabase(const std::string& path, Mode mode) {
  guard_sqlite(path, [&] {
    impl_ = std::make_unique<Impl>(path, mode);
    SQLite::Database& db = impl_->db;
    if (mode == Mode::kWrite && is_empty(db)) {
      write_ahead(db);
      create_tables(db);
    }
    db.exec("PRAGMA cache_size=-16384");  // KiB
    // Survives the death of this process at any moment; the last answers may be lost with the machine's power.
    if (mode != Mode::kRead) db.exec("PRAGMA synchronous=NORMAL");
    check_tiling_tables(db, path);
  });
}

TilingDatabase::~TilingDatabase() = default;

void TilingDatabase::put(const std::vector<TilingRecord>& records) {
  impl_->transact([&] {
    for (const TilingRecord& record : records) impl_->put(record, impl_->with_key_of(record));
  });
}

void TilingDatabase::visit(const std::function<void(const TilingRecord&)>& visit) const {
  guard_sqlite(impl_->path, [&] {
    check_pages(impl_->db, impl_->path);
    visit_table(impl_->db, impl_->path, "record",
                [&](const std::vector<std::string>& texts) { visit(record_from_row(texts, impl_->path)); });
  });
}

std::vector<TilingRecord> TilingDatabase::records() const {
  std::vector<TilingRecord> records;
  visit([&](const TilingRecord& record) { records.push_back(record); });
  std::sort(records.begin(), records.end());
  return records;
}

std::int64_t TilingDatabase::size() const {
  return guard_sqlite(impl_->path, [&] { return impl_->db.execAndGet("SELECT count(*) FROM record").getInt64(); });
}

void TilingDatabase::put_answer(const TilingContext& context, const std::string& query, const std::string& answer) {
  impl_->transact([&] { write_row(impl_->db, "answer", row_of(context, {query, answer})); });
}

std::map<std::string, std::string> TilingDatabase::answers(const TilingContext& context) const {
  return guard_sqlite(impl_->path, [&] {
    std::map<std::string, std::string> answers;
    check_pages(impl_->db, impl_->path);
    visit_table(impl_->db, impl_->path, "answer", [&](const std::vector<std::string>& texts) {
      if (context_from(texts, impl_->path) == context) answers[texts.at(4)] = texts.at(5);
    });
    return answers;
  });
}

void TilingDatabase::forget_answers() {
  impl_->transact([&] { impl_->db.exec("DELETE FROM answer"); });
  guard_sqlite(impl_->path, [&] { impl_->db.exec("VACUUM"); });
}

std::vector<TilingContext> TilingDatabase::contexts() const {
  return guard_sqlite(impl_->path, [&] {
    std::vector<TilingContext> contexts;
    SQLite::Statement found(impl_->db,
                            "SELECT hardware, simulator, objective, layout FROM record UNION SELECT hardware, "
                            "simulator, objective, layout FROM answer");
    while (found.executeStep()) {
      std::vector<std::string> texts;
      for (int i = 0; i < found.getColumnCount(); ++i) texts.push_back(found.getColumn(i).getString());
      contexts.push_back(context_from(texts, impl_->path));
    }
    return contexts;
  });
}

void TilingDatabase::remove(const TilingContext& context) {
  impl_->transact([&] {
    for (const char* table : {"record", "answer"}) {
      SQLite::Statement gone(impl_->db, fmt::format("DELETE FROM {} WHERE hardware=? AND simulator=? AND objective=? "
                                                    "AND layout=?",
                                                    table));
      const std::vector<std::string> texts = context_texts(context);
      for (std::size_t i = 0; i < texts.size(); ++i) gone.bind(static_cast<int>(i) + 1, texts[i]);
      gone.exec();
    }
  });
  guard_sqlite(impl_->path, [&] { impl_->db.exec("VACUUM"); });
}

std::vector<std::string> TilingDatabase::faults() const {
  std::vector<std::string> faults;
  try {
    SQLite::Statement check(impl_->db, "PRAGMA integrity_check");
    while (check.executeStep())
      if (const std::string text = check.getColumn(0).getString(); text != "ok") faults.push_back(text);
    if (!faults.empty()) return faults;  // rows of damaged pages cannot be read
    const auto read = [&](const std::vector<std::string>& texts) { add_fault(texts, faults); };
    visit_table(impl_->db, impl_->path, "record", read, &faults);
    visit_table(
        impl_->db, impl_->path, "answer", [](const std::vector<std::string>&) {}, &faults);
  } catch (const SQLite::Exception& error) {
    faults.push_back(sqlite_fault(error));
  }
  return faults;
}

void TilingDatabase::Impl::add_record(const TilingRecord& record, const std::string& from) {
  const auto kept = with_key_of(record);
  if (kept && kept->settings == record.settings && record_texts(*kept) != record_texts(record))
    throw UserError(from, fmt::format("'{}' has another value in {}", to_string(record.shape), path));
  put(record, kept);
}

void TilingDatabase::merge(const std::vector<std::unique_ptr<TilingDatabase>>& others) {
  impl_->transact([&] {
    for (const auto& other : others) {
      other->visit([&](const TilingRecord& record) { impl_->add_record(record, other->path()); });
      guard_sqlite(other->path(), [&] {
        visit_table(other->sqlite(), other->path(), "answer",
                    [&](const std::vector<std::string>& texts) { write_row(impl_->db, "answer", texts); });
      });
    }
  });
}

const std::string& TilingDatabase::path() const { return impl_->path; }

SQLite::Database& TilingDatabase::sqlite() const { return impl_->db; }

void TilingDatabase::set_patience(int milliseconds) { impl_->db.setBusyTimeout(milliseconds); }

}  // namespace tilewright
