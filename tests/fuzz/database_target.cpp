#include "tests/fuzz/database_target.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "planner/search/database/row_check.h"
#include "planner/search/database/tiling_database.h"
#include "planner/search/database/tiling_lookup.h"
#include "sim/base/error.h"
#include "sim/base/text_file.h"

namespace tilewright::fuzz {
namespace {

// A folder of this process: SQLite keeps files beside a database.
class Folder {
 public:
  Folder() : path_(fmt::format("/dev/shm/tilewright_fuzz_database_{}", getpid())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// The records of tests/fuzz/corpus/record.
std::vector<TilingRecord> good_records() {
  std::vector<TilingRecord> records;
  for (const char* name : {"0", "1"}) {
    std::istringstream lines(read_text_file(TILEWRIGHT_SOURCE_DIR "/tests/fuzz/corpus/record/" + std::string(name)));
    std::vector<std::string> texts;
    for (std::string line; std::getline(lines, line);) texts.push_back(line);
    records.push_back(record_from_texts(texts, name));
  }
  return records;
}

// The bytes of a database of them.
std::string good_file(const Folder& folder) {
  const std::string path = folder.file("good.db");
  {
    const std::vector<TilingRecord> records = good_records();
    TilingDatabase database(path, TilingDatabase::Mode::kWrite);
    database.put(records);
    database.put_answer(records.front().context, "query", "answer");
  }
  return read_text_file(path);
}

// A cell and the kind of value it is to become.
struct Cell {
  std::string text;
  char type = 't';
};
using Row = std::vector<Cell>;

std::vector<std::string> texts_of(const Row& row) {
  std::vector<std::string> texts;
  for (const Cell& cell : row) texts.push_back(cell.text);
  return texts;
}

// A table that is read, changed and written again, whatever its cells have become.
class ChangedTable {
 public:
  ChangedTable(SQLite::Database& db, std::string name) : db_(db), name_(std::move(name)) {
    SQLite::Statement found(db_, "SELECT * FROM " + name_);
    while (found.executeStep()) {
      rows_.emplace_back();
      for (int i = 0; i < found.getColumnCount(); ++i) rows_.back().push_back({found.getColumn(i).getString()});
    }
  }

  const std::string& name() const { return name_; }
  void set(std::size_t row, std::size_t column, Cell cell, bool with_checksum) {
    if (rows_.empty()) return;
    Row& changed = rows_[row % rows_.size()];
    changed[column % changed.size()] = std::move(cell);
    if (with_checksum) renew_checksum(changed);
  }
  void erase(std::size_t row) {
    if (!rows_.empty()) rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(row % rows_.size()));
  }

  void write() {
    db_.exec("DELETE FROM " + name_);
    for (const Row& row : rows_) insert(row);
  }

 private:
  void renew_checksum(Row& row) const {
    std::vector<std::string> texts = texts_of(row);
    texts.pop_back();
    row.back() = {row_checksum(name_, texts)};
  }
  // Rows that SQLite itself refuses, of one key or with nothing where something has to be, are left out.
  void insert(const Row& row) {
    std::string marks = "?";
    for (std::size_t i = 1; i < row.size(); ++i) marks += ",?";
    SQLite::Statement statement(db_, fmt::format("INSERT INTO {} VALUES({})", name_, marks));
    for (std::size_t i = 0; i < row.size(); ++i) bind(statement, static_cast<int>(i) + 1, row[i]);
    try {
      statement.exec();
    } catch (const SQLite::Exception&) {
    }
  }
  static void bind(SQLite::Statement& statement, int at, const Cell& cell) {
    switch (cell.type) {
      case 'i':
        return statement.bind(at, static_cast<std::int64_t>(std::strtoll(cell.text.c_str(), nullptr, 10)));
      case 'r':
        return statement.bind(at, std::strtod(cell.text.c_str(), nullptr));
      case 'b':
        return statement.bind(at, cell.text.data(), static_cast<int>(cell.text.size()));
      case 'n':
        return statement.bind(at);
      default:
        return statement.bind(at, cell.text);
    }
  }

  SQLite::Database& db_;
  const std::string name_;
  std::vector<Row> rows_;
};

struct Byte {
  std::size_t offset = 0;
  char value = 0;
};

// What the lines of an input do to a file.
class Changes {
 public:
  explicit Changes(std::string_view input) : input_(std::string(input)) {}

  // Whether a row may have become another good one.
  bool renewed() const { return renewed_; }
  void make(const std::string& path) {
    std::vector<Byte> bytes;
    {
      SQLite::Database db(path, SQLite::OPEN_READWRITE);
      SQLite::Transaction transaction(db);
      std::vector<ChangedTable> tables{{db, "record"}, {db, "answer"}};
      for (std::string line; std::getline(input_, line);) apply(line, tables, bytes);
      for (ChangedTable& table : tables) table.write();
      transaction.commit();
    }
    if (!bytes.empty()) write_bytes(path, bytes);
  }

 private:
  void apply(const std::string& line, std::vector<ChangedTable>& tables, std::vector<Byte>& bytes) {
    std::istringstream words(line);
    std::string table;
    words >> table;
    if (table == "byte") return add_byte(words, bytes);
    const std::string sign = table == "+" || table == "-" ? table : "";
    if (!sign.empty()) words >> table;
    const auto found = std::ranges::find(tables, table, &ChangedTable::name);
    std::size_t row = 0;
    if (found == tables.end() || !(words >> row)) return;
    if (sign == "-") return found->erase(row);
    set(words, *found, row, sign == "+");
  }
  void set(std::istream& words, ChangedTable& table, std::size_t row, bool with_checksum) {
    std::size_t column = 0;
    Cell cell;
    if (!(words >> column >> cell.type)) return;
    words.get();
    std::getline(words, cell.text);
    renewed_ |= with_checksum;
    table.set(row, column, std::move(cell), with_checksum);
  }
  static void add_byte(std::istream& words, std::vector<Byte>& bytes) {
    std::size_t offset = 0;
    int value = 0;
    if (words >> offset >> value) bytes.push_back({offset, static_cast<char>(value)});
  }
  static void write_bytes(const std::string& path, const std::vector<Byte>& bytes) {
    std::string file = read_text_file(path);
    for (const Byte& byte : bytes) file[byte.offset % file.size()] = byte.value;
    write_text_file(path, file);
  }

  std::istringstream input_;
  bool renewed_ = false;
};

// All that is kept, as the commands read it; `records` in their order.
std::vector<TilingRecord> read_all(const std::string& path) {
  const auto database = std::make_shared<const TilingDatabase>(path, TilingDatabase::Mode::kRead);
  database->faults();
  for (const TilingContext& context : database->contexts()) {
    database->answers(context);
    const TilingIndex index(database, context);
    for (const TilingRecord& record : good_records()) index.lookup(record.shape);
  }
  return database->records();
}

bool is_good(const TilingRecord& record) {
  static const std::vector<TilingRecord> kGood = good_records();
  return std::ranges::any_of(kGood,
                             [&](const TilingRecord& good) { return record_texts(good) == record_texts(record); });
}

}  // namespace

void database(std::string_view input) {
  static const Folder kFolder;
  static const std::string kGood = good_file(kFolder);
  const std::string path = kFolder.file("changed.db");
  write_text_file(path, kGood);
  Changes changes(input);
  changes.make(path);
  const std::vector<TilingRecord> records = read_all(path);
  SIM_CHECK(changes.renewed() || std::ranges::all_of(records, is_good), "serves a record that was changed");
}

}  // namespace tilewright::fuzz
