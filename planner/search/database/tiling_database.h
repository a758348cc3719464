// The tiling database: one SQLite file of records, and of the answers they were made from, so that a build that was
// killed goes on where it stood.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "planner/search/database/row_check.h"
#include "planner/search/database/tiling_record.h"

namespace SQLite {
class Database;
}

namespace tilewright {

class TilingDatabase {
 public:
  enum class Mode { kRead, kChange, kWrite };  // kWrite makes the file when there is none

  // ":memory:" is a database of its own that no file keeps.
  // UserError naming the file when it is missing, unreadable, no SQLite file or a damaged one, another program's, or of
  // another schema. Writers wait for each other, readers never wait.
  TilingDatabase(const std::string& path, Mode mode);
  ~TilingDatabase();
  TilingDatabase(const TilingDatabase&) = delete;
  TilingDatabase& operator=(const TilingDatabase&) = delete;

  // All of one call in one transaction. A record with the key of another one replaces it, but of two that were built
  // with other settings the better stays, whichever comes first.
  void put(const std::vector<TilingRecord>& records);
  // In their order (tiling_record.h).
  std::vector<TilingRecord> records() const;
  // In no order that means anything, one at a time.
  void visit(const std::function<void(const TilingRecord& record)>& visit) const;
  std::int64_t size() const;  // records

  // What a worker answered to a query (planner/search/database/database_build.h), by context.
  void put_answer(const TilingContext& context, const std::string& query, const std::string& answer);
  std::map<std::string, std::string> answers(const TilingContext& context) const;
  void forget_answers();
  // Those that something is kept of.
  std::vector<TilingContext> contexts() const;
  // All that belongs to a context: records and answers. The file shrinks.
  void remove(const TilingContext& context);

  // What is wrong with the file's pages and rows, a message each; every other function refuses the first such row.
  std::vector<std::string> faults() const;

  // All of `others`, or nothing: UserError when a record has another value here, or in another of them, built with the
  // same settings.
  void merge(const std::vector<std::unique_ptr<TilingDatabase>>& others);

  const std::string& path() const;
  // For the readers of this folder.
  SQLite::Database& sqlite() const;
  // Seconds a writer waits for another one; for tests.
  void set_patience(int milliseconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilewright
