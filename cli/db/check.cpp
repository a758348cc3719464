// tilewright db check and verify: predictions beside measurements, and records measured again.
#include <fmt/format.h>

#include <memory>
#include <set>

#include "cli/db/db.h"
#include "cli/progress.h"
#include "cli/workload_options.h"
#include "planner/search/database/database_check.h"
#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/base/text_file.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

struct CheckCommand : DatabaseOptions {
  ShapeSource source;
  CheckOptions check;
  std::string csv;
};

std::string accuracy_line(const char* where, const Accuracy& accuracy, std::string_view unit) {
  if (accuracy.shapes == 0) return fmt::format("  {:<24} none\n", where);
  return fmt::format(
      "  {:<24} {:>6} shapes: {:.1f} % within 5 % of the measured {}, mean accuracy {:.1f} %, worst {:.1f} % off\n",
      where, accuracy.shapes, 100 * accuracy.within_5_percent, unit, 100 * accuracy.mean, 100 * accuracy.worst_error);
}

void print(const CheckSummary& s, std::string_view unit) {
  const double all = static_cast<double>(s.shapes);
  fmt::print("Lookup of {} shapes\n", s.shapes);
  for (int i = 0; i < kMatchKindCount; ++i)
    fmt::print("  {:<24} {:>6}  {}\n", name_of(static_cast<MatchKind>(i)), s.hits[i],
               share_text(static_cast<double>(s.hits[i]), all));
  fmt::print("  {:<24} {:>6}  {}\n", "no record", s.misses, share_text(static_cast<double>(s.misses), all));
  fmt::print("\nPredicted against measured {}\n{}{}{}{}{}", unit, accuracy_line("linear region", s.linear, unit),
             accuracy_line("  no records themselves", s.linear_only, unit), accuracy_line("outside it", s.other, unit),
             accuracy_line("all", s.all, unit), accuracy_line("all, in proportion", s.proportional, unit));
  if (s.bounded > 0)
    fmt::print("  {:.1f} % of {} predictions that are no records are within their own error bound\n",
               100 * s.within_bound, s.bounded);
  if (s.searched > 0)
    fmt::print("\nReuse against search, {} shapes: {:.1f} % more {} on average, {:.1f} % at most\n", s.searched,
               100 * s.loss_mean, unit, 100 * s.loss_worst);
}

std::string row(const CheckedShape& shape) {
  if (!shape.hit) return fmt::format("{},no record,,,,,,,,,,,,,,,\n", to_string(shape.shape));
  const Hit& hit = *shape.hit;
  const std::string measured = shape.measured ? fmt::format("{}", shape.measured->cycles) : "";
  const std::string linearity =
      shape.measured ? fmt::format("{:.6f}", static_cast<double>(shape.measured->cycles) / hit.proportional.cycles)
                     : "";
  const std::string searched = shape.searched ? fmt::format("{}", shape.searched->cycles) : "";
  return fmt::format("{},{},{},{},{},{:.4f},{:.4f},{:.0f},{:.0f},{:.4f},{},{:.6f},{},{},{},{:.0f},{}\n",
                     to_string(shape.shape), name_of(hit.match), to_string(hit.record->shape),
                     csv_field(to_string(hit.record->point)), hit.linear ? "yes" : "no", hit.rounds, hit.padding,
                     hit.proportional.cycles, hit.predicted.cycles, hit.error_bound, measured, hit.linearity, linearity,
                     searched, macs_of(shape.shape), hit.predicted.energy_pj,
                     shape.measured ? fmt::format("{}", shape.measured->energy_pj) : "");
}

std::string table(const std::vector<CheckedShape>& checked) {
  std::string csv =
      "shape,match,record,tiling,linear_region,rounds,padding,proportional_cycles,predicted_cycles,error_bound,"
      "measured_cycles,predicted_linearity,measured_linearity,searched_cycles,multiply_adds,predicted_energy_pj,"
      "measured_energy_pj\n";
  for (const CheckedShape& shape : checked) csv += row(shape);
  return csv;
}

void check(const CheckCommand& command) {
  const Hardware hardware = load_hardware(command.hardware);
  const std::vector<OperatorShape> shapes = shapes_of(command.source);
  const auto index = load_index(command, hardware);
  const Objective objective = objective_of(command);
  std::vector<CheckedShape> checked;
  {
    Progress progress("db check", "measurements", 0);
    checked = check_tilings(*index, hardware, objective, shapes, command.check, jobs_of(command),
                            [&](std::int64_t done, std::int64_t total) { progress.update(done, total); });
  }
  print(summary_of(checked, objective), name_of(objective));
  if (!command.csv.empty()) write_text_file(command.csv, table(checked));
}

// Records of the chip and objective by any version of the simulator: whether this one still measures the same is the
// question.
std::vector<TilingRecord> records_to_verify(const DatabaseOptions& command, const Hardware& hardware) {
  const TilingContext context = context_of(hardware, objective_of(command));
  std::vector<TilingRecord> records = TilingDatabase(command.database, TilingDatabase::Mode::kRead).records();
  std::erase_if(records, [&](const TilingRecord& record) {
    return record.context.hardware != context.hardware || record.context.objective != context.objective;
  });
  if (records.empty())
    throw UserError(command.database, fmt::format("has no record of {} (fingerprint {}) for {}", command.hardware,
                                                  context.hardware, command.objective));
  return records;
}

struct VerifyCommand : DatabaseOptions {
  bool adopt = false;
};

// Records that this version measured equal, as its own.
void adopt(const VerifyCommand& command, const std::vector<TilingRecord>& records, const std::vector<Drift>& drifts) {
  std::set<std::size_t> drifted;
  for (const Drift& drift : drifts) drifted.insert(static_cast<std::size_t>(drift.record - records.data()));
  std::vector<TilingRecord> adopted;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (drifted.contains(i) || records[i].context.simulator == simulator_version()) continue;
    adopted.push_back(records[i]);
    adopted.back().context.simulator = simulator_version();
  }
  TilingDatabase(command.database, TilingDatabase::Mode::kChange).put(adopted);
  fmt::print("{} records adopted\n", adopted.size());
}

int verify(const VerifyCommand& command) {
  const Hardware hardware = load_hardware(command.hardware);
  const std::vector<TilingRecord> records = records_to_verify(command, hardware);
  std::vector<Drift> drifts;
  {
    Progress progress("db verify", "records", std::ssize(records));
    drifts = verify_tilings(records, hardware, jobs_of(command),
                            [&](std::int64_t done, std::int64_t total) { progress.update(done, total); });
  }
  for (const Drift& drift : drifts)
    fmt::print("{} by simulator {}: {}\n", to_string(drift.record->shape), drift.record->context.simulator, drift.what);
  fmt::print("{} records measured again, {} differ\n", records.size(), drifts.size());
  if (command.adopt) adopt(command, records, drifts);
  return drifts.empty() ? 0 : 1;
}

}  // namespace

void add_db_check(CLI::App& db) {
  auto c = std::make_shared<CheckCommand>();
  CLI::App* sub = db.add_subcommand("check", "Predictions beside measurements on other shapes");
  add_database(*sub, *c);
  add_hardware(*sub, *c);
  add_shape_source(*sub, c->source);
  add_objective(*sub, *c);
  add_jobs(*sub, *c);
  add_lookup_options(*sub, c->check.lookup);
  sub->add_flag("--search", c->check.search, "search each shape too: what reuse loses");
  sub->add_option("--budget", c->check.budget, "measurements of one shape's search")->check(at_least(0));
  sub->add_option("--csv", c->csv, "write a table of all shapes")->type_name("FILE");
  sub->callback([c] { check(*c); });
}

void add_db_verify(CLI::App& db, int& result) {
  auto c = std::make_shared<VerifyCommand>();
  CLI::App* sub = db.add_subcommand("verify", "Measure every record again; exit code 1 when one differs");
  add_database(*sub, *c);
  add_hardware(*sub, *c);
  add_objective(*sub, *c);
  add_jobs(*sub, *c);
  sub->add_flag("--adopt", c->adopt, "records of other versions that this one measures equal become its own");
  sub->callback([c, &result] { result = verify(*c); });
}

}  // namespace tilewright
