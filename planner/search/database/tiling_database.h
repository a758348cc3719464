// The tiling database: one SQLite file of records, and of the answers they were made from, so that a build that was
// killed goes on where it stood.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "planner/search/database/row_check.h"
#include "planner/search/database/tiling_record.h"

namespace tilewright {

class TilingDatabase {
 public:
  enum class Mode { kRead, kChange, kWrite };  // kWrite makes the file when there is none

  // UserError naming the file when it is missing, unreadable, no SQLite file or a damaged one, another program's, or of
  // another schema. Writers wait for each other, readers never wait.
  TilingDatabase(const std::string& path, Mode mode);
  ~TilingDatabase();
  TilingDatabase(const TilingDatabase&) = delete;
  TilingDatabase& operator=(const TilingDatabase&) = delete;

  // All of one call in one transaction; a record with the key, kind and parent of an earlier one replaces it.
  void put(const std::vector<TilingRecord>& records);
  // In their order (tiling_record.h).
  std::vector<TilingRecord> records() const;

  // What a worker answered to a query (planner/search/database/database_build.h), by context.
  void put_answer(const TilingContext& context, const std::string& query, const std::string& answer);
  std::map<std::string, std::string> answers(const TilingContext& context) const;
  void forget_answers();
  // All that belongs to a context: records, answers, settings. The file shrinks.
  void remove(const TilingContext& context);

  // What a context's records were built with: a build with other settings does not belong into the same file.
  // UserError when the context has others already.
  void claim_settings(const TilingContext& context, const std::string& settings);
  std::vector<std::pair<TilingContext, std::string>> settings() const;

  // What is wrong with the file's pages and rows, a message each; every other function refuses the first such row.
  std::vector<std::string> faults() const;

  // Everything of `other` that is not here yet; UserError when a key has another value here.
  void merge(const TilingDatabase& other);

  // Seconds a writer waits for another one; for tests.
  void set_patience(int milliseconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilewright
