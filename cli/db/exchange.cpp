// tilewright db export and import: records as text that other programs read and write.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/db/db.h"
#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/base/json_levels.h"

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;
using Mode = TilingDatabase::Mode;

// Every column a text: numbers of 64 bits survive every reader.
Json json_of(const TilingRecord& record) {
  Json object;
  const std::vector<std::string> texts = record_texts(record);
  for (std::size_t i = 0; i < texts.size(); ++i) object[record_columns()[i]] = texts[i];
  return object;
}

void print_records(const std::string& path, const std::string& format) {
  const std::vector<TilingRecord> records = TilingDatabase(path, Mode::kRead).records();
  const bool json = format == "json";
  fmt::print("{}", json ? "[" : csv_line(record_columns()));
  for (const TilingRecord& record : records) {
    if (json)
      fmt::print("{}\n{}", &record == &records.front() ? "" : ",", json_of(record).dump());
    else
      fmt::print("{}", csv_line(record_texts(record)));
  }
  fmt::print("{}", json ? "\n]\n" : "");
}

std::string text_of(const Json& object, const std::string& column, const std::string& where) {
  const auto found = object.find(column);
  if (found == object.end()) throw UserError(where, fmt::format("lacks '{}'", column));
  if (!found->is_string()) throw UserError(where, fmt::format("'{}' is no text", column));
  return found->get<std::string>();
}

TilingRecord record_of(const Json& object, const std::string& where) {
  if (!object.is_object()) throw UserError(where, "is no object");
  std::vector<std::string> texts;
  for (const std::string& column : record_columns()) texts.push_back(text_of(object, column, where));
  if (object.size() != texts.size()) throw UserError(where, "has columns that no record has");
  return record_from_texts(texts, where);
}

// All of the file or nothing.
void import_records(const std::string& path, const std::string& output) {
  const std::string text = read_json_text(path);
  Json all;
  try {
    all = Json::parse(text);
  } catch (const Json::exception& error) {
    throw UserError(path, fmt::format("is no JSON: {}", error.what()));
  }
  if (!all.is_array()) throw UserError(path, "expected a list of records, as 'db export --format json' writes it");
  std::vector<TilingRecord> records;
  for (std::size_t i = 0; i < all.size(); ++i)
    records.push_back(record_of(all[i], fmt::format("{}: record {}", path, i + 1)));
  TilingDatabase database(output, Mode::kWrite);
  database.put(records);
  fmt::print("{}: {} records read, {} kept\n", output, records.size(), database.size());
}

}  // namespace

void add_db_exchange(CLI::App& db) {
  auto path = std::make_shared<std::string>(), format = std::make_shared<std::string>("csv");
  CLI::App* sub = db.add_subcommand("export", "Every record as CSV or JSON, in the order of their keys");
  sub->add_option("DATABASE", *path, "tiling database")->required();
  sub->add_option("--format", *format, "csv or json")->check(CLI::IsMember({"csv", "json"}))->type_name("FORMAT");
  sub->callback([path, format] { print_records(*path, *format); });

  auto input = std::make_shared<std::string>(), output = std::make_shared<std::string>();
  CLI::App* import = db.add_subcommand("import", "Records of a JSON file, as 'db export --format json' writes them");
  import->add_option("FILE", *input, "the records")->required();
  import->add_option("-o,--output", *output, "the database, made or added to")->required();
  import->callback([input, output] { import_records(*input, *output);
});
}  // namespace tilewright

}  // namespace tilewright
