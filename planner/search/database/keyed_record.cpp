#include "planner/search/database/keyed_record.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "planner/search/database/record_place.h"
#include "planner/search/database/row_check.h"

namespace tilewright {

std::vector<std::string> context_texts(const TilingContext& context) {
  return {context.hardware, context.simulator, std::string(name_of(context.objective)), context.layout};
}

std::optional<TilingRecord> checked_record(SQLite::Statement& found, const std::string& path) {
  std::optional<TilingRecord> record;
  visit_rows(found, path, "record",
             [&](const std::vector<std::string>& texts) { record = record_from_row(texts, path); });
  return record;
}

std::optional<TilingRecord> record_of_key(SQLite::Database& db, const std::string& path, const TilingRecord& record) {
  SQLite::Statement found(db, kRecordOfKey);
  int at = 0;
  for (const std::string& text : context_texts(record.context)) found.bind(++at, text);
  for (const std::string& text : key_texts(record)) found.bind(++at, text);
  return checked_record(found, path);
}

}  // namespace tilewright
