#include "planner/search/database/placed_records.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "planner/search/database/keyed_record.h"
#include "planner/search/database/row_check.h"
#include "planner/search/database/sqlite_fault.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr const char* kOfShape =
    "SELECT * FROM record WHERE hardware=? AND simulator=? AND objective=? AND layout=? AND operator=? AND dims=? AND "
    "kind=?";
// The cheapest of the cell behind the given one: with the index one step each.
constexpr const char* kNextCell =
    "SELECT cell, rate FROM record WHERE hardware=? AND simulator=? AND objective=? AND layout=? AND family=? AND "
    "kind=? AND cell>? ORDER BY cell, rate LIMIT 1";
constexpr const char* kOfCell =
    "SELECT rate, extents, granules, operator, dims, type, attributes, kind, parent FROM record WHERE hardware=? AND "
    "simulator=? AND objective=? AND layout=? AND family=? AND kind=? AND cell=? ORDER BY rate, extents, granules";
constexpr const char* kAny =
    "SELECT 1 FROM record WHERE hardware=? AND simulator=? AND objective=? AND layout=? LIMIT 1";

// Places are read before the rows that their checksums stand in.
void check_extents(std::size_t found, std::size_t expected, const std::string& path) {
  if (found != expected)
    throw UserError(path, fmt::format("a record's place has {} extents, expected {}: damaged", found, expected));
}

}  // namespace

struct PlacedRecords::Statements {
  Statements(SQLite::Database& db, const TilingContext& context)
      : of_shape(db, kOfShape),
        next_cell(db, kNextCell),
        of_cell(db, kOfCell),
        by_key(db, kRecordOfKey),
        any(db, kAny) {
    const std::vector<std::string> texts = context_texts(context);
    for (SQLite::Statement* statement : {&of_shape, &next_cell, &of_cell, &by_key, &any})
      for (int i = 0; i < kContextTexts; ++i) statement->bind(i + 1, texts.at(i));
  }

  // Ready to be run with what comes behind the context.
  static SQLite::Statement& with(SQLite::Statement& statement, const std::vector<std::string>& texts) {
    statement.reset();
    for (std::size_t i = 0; i < texts.size(); ++i) statement.bind(kContextTexts + 1 + static_cast<int>(i), texts[i]);
    return statement;
  }

  static constexpr int kContextTexts = 4;
  SQLite::Statement of_shape, next_cell, of_cell, by_key, any;
};

PlacedRecords::PlacedRecords(std::shared_ptr<const TilingDatabase> database, const TilingContext& context)
    : database_(std::move(database)), context_(context), statements_(guard_sqlite(database_->path(), [&] {
        return std::make_unique<Statements>(database_->sqlite(), context);
      })) {}

PlacedRecords::~PlacedRecords() = default;

bool PlacedRecords::empty() const {
  return guard_sqlite(database_->path(), [&] { return !Statements::with(statements_->any, {}).executeStep(); });
}

std::vector<TilingRecord> PlacedRecords::same(const OperatorShape& shape, RecordKind kind) const {
  const TilingRecord asked{.shape = shape, .kind = kind};
  const std::vector<std::string> texts = key_texts(asked);
  const std::string family = family_of(shape);
  return guard_sqlite(database_->path(), [&] {
    std::vector<TilingRecord> records;
    SQLite::Statement& found = Statements::with(statements_->of_shape, {texts[0], texts[1], texts[4]});
    visit_rows(found, database_->path(), "record", [&](const std::vector<std::string>& row) {
      TilingRecord record = record_from_row(row, database_->path());
      if (family_of(record.shape) == family) records.push_back(std::move(record));
    });
    return records;
  });
}

const std::vector<RecordCell>& PlacedRecords::cells(const std::string& family, std::size_t extents,
                                                    RecordKind kind) const {
  const auto known = cells_.find({family, kind});
  if (known != cells_.end()) return known->second;
  std::vector<RecordCell> found = find_cells(family, kind);
  for (const RecordCell& cell : found) check_extents(cell.cell.size(), extents, database_->path());
  return cells_[{family, kind}] = std::move(found);
}

std::vector<RecordCell> PlacedRecords::find_cells(const std::string& family, RecordKind kind) const {
  return guard_sqlite(database_->path(), [&] {
    std::vector<RecordCell> cells;
    const auto next = [&] {
      const std::string last = cells.empty() ? "" : cells.back().cell;
      SQLite::Statement& found = Statements::with(statements_->next_cell, {family, std::string(name_of(kind)), last});
      if (!found.executeStep()) return false;
      cells.push_back({found.getColumn(0).getString(), found.getColumn(1).getInt64()});
      return true;
    };
    while (next()) {
    }
    return cells;
  });
}

void PlacedRecords::visit(const std::string& family, RecordKind kind, const std::string& cell,
                          const std::function<bool(const PlacedRecord&, const Read&)>& visit) const {
  guard_sqlite(database_->path(), [&] {
    SQLite::Statement& found = Statements::with(statements_->of_cell, {family, std::string(name_of(kind)), cell});
    const Read read_record = [this] { return read_found(); };
    PlacedRecord record;
    while (found.executeStep()) {
      record.rate = found.getColumn(0).getInt64();
      read_extents(found.getColumn(1).getText(), database_->path(), record.extents);
      read_extents(found.getColumn(2).getText(), database_->path(), record.granules);
      for (const ShapeExtents& read : {record.extents, record.granules})
        check_extents(read.size(), cell.size(), database_->path());
      if (!visit(record, read_record)) break;
    }
    found.reset();  // no reader keeps a writer waiting
  });
}

// Where the statement of a cell stands.
TilingRecord PlacedRecords::read_found() const {
  constexpr int kKey = 3;  // first column of it
  std::vector<std::string> key;
  for (int i = kKey; i < statements_->of_cell.getColumnCount(); ++i)
    key.emplace_back(statements_->of_cell.getColumn(i).getText());
  auto found = checked_record(Statements::with(statements_->by_key, key), database_->path());
  // The index gave a key that the table has not.
  if (!found) throw UserError(database_->path(), "is damaged");
  return *std::move(found);
}

void PlacedRecords::at_once(const std::function<void()>& work) const {
  guard_sqlite(database_->path(), [&] {
    SQLite::Database& db = database_->sqlite();
    SQLite::Transaction one(db, SQLite::TransactionBehavior::DEFERRED);
    const int version = db.execAndGet("PRAGMA data_version").getInt();
    if (version != version_) cells_.clear();
    version_ = version;
    work();
    one.commit();
  });
}

}  // namespace tilewright
