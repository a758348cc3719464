// tilewright db merge, migrate, diff, prune, stats and check-integrity.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>

#include "cli/db/db.h"
#include "cli/tell.h"
#include "planner/search/database/database_migration.h"
#include "planner/search/database/new_database.h"
#include "sim/base/error.h"
#include "sim/base/text_file.h"

namespace tilewright {
namespace {

using Mode = TilingDatabase::Mode;

std::int64_t merge_into(const std::string& path, const std::vector<std::unique_ptr<TilingDatabase>>& shards) {
  TilingDatabase database(path, Mode::kWrite);
  database.merge(shards);
  return database.size();
}

// All or nothing: an output that is not there yet is none before it is whole.
void merge(const std::string& output, const std::vector<std::string>& inputs) {
  std::vector<std::unique_ptr<TilingDatabase>> shards;
  for (const std::string& input : inputs) shards.push_back(std::make_unique<TilingDatabase>(input, Mode::kRead));
  std::int64_t records = 0;
  if (std::filesystem::exists(output)) {
    records = merge_into(output, shards);
  } else {
    check_output_file(output);
    NewDatabase fresh(output);
    records = merge_into(fresh.path(), shards);
    fresh.take_place();
  }
  fmt::print("{}: {} records\n", output, records);
}

void migrate(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const bool changed = migrate_database(path);
    fmt::print("{}: {} records, {}\n", path, TilingDatabase(path, Mode::kRead).size(),
               changed ? "brought up to date" : "was up to date");
  }
}

// Records by their key as one line.
std::map<std::string, TilingRecord> by_key(const std::string& path) {
  std::map<std::string, TilingRecord> records;
  for (const TilingRecord& r : TilingDatabase(path, Mode::kRead).records()) {
    const std::string parent = r.parent.empty() ? "" : " of " + r.parent;
    records.emplace(fmt::format("{} {} {} {}: {}{}", r.context.hardware, r.context.simulator,
                                name_of(r.context.objective), name_of(r.kind), to_string(r.shape), parent),
                    r);
  }
  return records;
}

int diff(const std::string& a, const std::string& b) {
  const auto left = by_key(a), right = by_key(b);
  int differences = 0;
  for (const auto& [key, record] : left) {
    const auto other = right.find(key);
    if (other == right.end()) {
      fmt::print("only in {}: {}\n", a, key);
    } else if (record_texts(record) != record_texts(other->second)) {
      fmt::print("differs: {}: {} cycles with '{}', {} cycles with '{}'\n", key, record.cost.cycles,
                 to_string(record.point), other->second.cost.cycles, to_string(other->second.point));
    } else {
      continue;
    }
    ++differences;
  }
  for (const auto& [key, record] : right)
    if (!left.contains(key)) fmt::print("only in {}: {}\n", b, key), ++differences;
  fmt::print("{} differences\n", differences);
  return differences == 0 ? 0 : 1;
}

struct PruneOptions {
  std::string database, hardware;
  bool answers = false, old = false;
};

void prune(const PruneOptions& options) {
  if (!options.old && !options.answers && options.hardware.empty())
    throw UserError("", "needs --old, --chip or --answers");
  TilingDatabase database(options.database, Mode::kChange);
  const std::int64_t before = database.size();
  for (const TilingContext& context : database.contexts())
    if ((options.old && context.simulator != simulator_version()) || context.hardware == options.hardware)
      database.remove(context);
  if (options.answers) database.forget_answers();
  fmt::print("{}: {} of {} records removed\n", options.database, before - database.size(), before);
}

struct Counts {
  std::int64_t initial = 0, boundary = 0;
  std::map<std::string, std::int64_t> families, settings;
};

void print_stats(const std::string& path) {
  const TilingDatabase database(path, Mode::kRead);
  std::map<TilingContext, Counts> contexts;
  database.visit([&](const TilingRecord& record) {
    Counts& counts = contexts[record.context];
    ++(record.kind == RecordKind::kInitial ? counts.initial : counts.boundary);
    ++counts.families[family_of(record.shape)];
    ++counts.settings[record.settings];
  });
  fmt::print("{}: schema version {}\n", path, kTilingSchemaVersion);
  for (const auto& [context, counts] : contexts) {
    fmt::print("\nchip {}, simulator {}, objective {}, layout {}\n", context.hardware, context.simulator,
               name_of(context.objective), context.layout);
    fmt::print("  {} initial shapes, {} boundary shapes\n", counts.initial, counts.boundary);
    for (const auto& [family, count] : counts.families) fmt::print("  {:>6}  {}\n", count, family);
    for (const auto& [settings, count] : counts.settings)
      fmt::print("  {:>6}  built with {}\n", count, settings.empty() ? "unknown settings" : settings);
  }
}

// Every fault of every file, before the files that are whole; exit code 2 when there is any.
int check_integrity(const std::vector<std::string>& paths) {
  std::size_t faults = 0;
  for (const std::string& path : paths) {
    const TilingDatabase database(path, Mode::kRead);
    const std::vector<std::string> found = database.faults();
    for (const std::string& fault : found) tell("error: {}: {}\n", path, fault);
    faults += found.size();
    if (found.empty()) fmt::print("{}: {} records, every row as it was written\n", path, database.size());
  }
  return faults == 0 ? 0 : 2;
}

void add_merge(CLI::App& db) {
  auto output = std::make_shared<std::string>();
  auto inputs = std::make_shared<std::vector<std::string>>();
  CLI::App* sub = db.add_subcommand("merge", "Merge shards; records that they share must be equal");
  sub->add_option("-o,--output", *output, "the database, made or added to")->required();
  sub->add_option("DATABASES", *inputs, "databases to add")->required();
  sub->callback([output, inputs] { merge(*output, *inputs); });
}

void add_migrate(CLI::App& db) {
  auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App* sub = db.add_subcommand("migrate", "Bring databases of older versions of the program up to date");
  sub->add_option("DATABASES", *paths, "tiling databases")->required();
  sub->callback([paths] { migrate(*paths); });
}

void add_diff(CLI::App& db, int& result) {
  auto a = std::make_shared<std::string>(), b = std::make_shared<std::string>();
  CLI::App* sub = db.add_subcommand("diff", "Compare two databases by key; exit code 1 when they differ");
  sub->add_option("A", *a, "a database")->required();
  sub->add_option("B", *b, "another one")->required();
  sub->callback([a, b, &result] { result = diff(*a, *b); });
}

void add_prune(CLI::App& db) {
  auto options = std::make_shared<PruneOptions>();
  CLI::App* sub = db.add_subcommand("prune", "Remove records that are not wanted any more");
  sub->add_option("DATABASE", options->database, "tiling database")->required();
  sub->add_flag("--old", options->old, "all of other versions of the simulator");
  sub->add_option("--chip", options->hardware, "all of the chip with this fingerprint")->type_name("FINGERPRINT");
  sub->add_flag("--answers", options->answers, "the answers kept for continuing a build");
  sub->callback([options] { prune(*options); });
}

void add_check_integrity(CLI::App& db, int& result) {
  auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App* sub = db.add_subcommand("check-integrity", "Check every row of databases against its checksum");
  sub->add_option("DATABASES", *paths, "tiling databases")->required();
  sub->callback([paths, &result] { result = check_integrity(*paths); });
}

void add_stats(CLI::App& db) {
  auto path = std::make_shared<std::string>();
  CLI::App* sub = db.add_subcommand("stats", "Whose records there are, how many, and what they were built with");
  sub->add_option("DATABASE", *path, "tiling database")->required();
  sub->callback([path] { print_stats(*path); });
}

}  // namespace

void add_db_manage(CLI::App& db, int& result) {
  add_merge(db);
  add_migrate(db);
  add_diff(db, result);
  add_prune(db);
  add_check_integrity(db, result);
  add_stats(db);
}

}  // namespace tilewright
