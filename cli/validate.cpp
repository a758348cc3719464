// tilewright validate [SUITE]: the model's parts beside published reference figures.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include "cli/commands.h"
#include "cli/shipped.h"
#include "cli/tell.h"
#include "sim/base/error.h"
#include "sim/base/text_file.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/session.h"
#include "validation/a100.h"
#include "validation/chip.h"
#include "validation/dram_session.h"
#include "validation/matmul.h"
#include "validation/matmul_session.h"
#include "validation/noc_session.h"
#include "validation/report.h"
#include "validation/tpuv3.h"
#include "validation/tpuv4.h"
#include "validation/wormhole.h"

namespace tilewright {
namespace {

struct ValidateCommand {
  std::string suite, references, hardware, csv;
  bool all_rows = false;
  SiliconSample sample;
};

using Run = std::function<ValidationReport()>;

// Every chip is elaborated by prepare(), because all sessions of a process must be made before one of them runs.
struct Suite {
  const char* name;
  Run (*prepare)(const ValidateCommand& command);
  // "FOLDER/NAME", as ours lie, or "NAME" of those that do not come with tilewright. Without a named suite it runs
  // where all of them are.
  std::vector<std::string> tables;
};

// "DIR/FOLDER/NAME.csv", or "DIR/NAME.csv" where there is only that.
std::string table_in(const ValidateCommand& command, const std::filesystem::path& table) {
  const auto path = [&](const std::filesystem::path& below) {
    return command.references + "/" + below.string() + ".csv";
  };
  const std::string flat = path(table.filename());
  return !std::filesystem::exists(path(table)) && std::filesystem::exists(flat) ? flat : path(table);
}

std::shared_ptr<Session> session_on(const ValidateCommand& command, const std::string& chip) {
  return std::make_shared<Session>(load_hardware(command.hardware + "/" + chip + ".yaml"));
}

Run prepare_dram(const ValidateCommand& command) {
  const std::string csv = table_in(command, "dram/dram");
  return [csv, sessions = std::make_shared<DramSessionRuns>(csv)] {
    ValidationReport report = validate_dram(csv);
    sessions->compare(report);
    return report;
  };
}

Run prepare_noc(const ValidateCommand& command) {
  const std::string csv = table_in(command, "noc/noc");
  return [csv, sessions = std::make_shared<NocSessionRuns>(csv, NocEffort{.measured = 5000})] {
    ValidationReport report = validate_noc(csv, {});
    sessions->compare(report);
    return report;
  };
}

Run prepare_matmul(const ValidateCommand& command) {
  const Hardware gemmini = load_hardware(command.hardware + "/gemmini_8x8.yaml");
  const std::string scale_sim_csv = table_in(command, "matmul/scale_sim");
  const std::string gemmini_csv = table_in(command, "matmul/gemmini");
  return [=, sessions = std::make_shared<MatmulSessionRuns>(scale_sim_csv, gemmini_csv, gemmini)] {
    ValidationReport report = validate_matmul(scale_sim_csv, gemmini_csv, gemmini.core.matmul);
    sessions->compare(report);
    return report;
  };
}

Run prepare_chip(const ValidateCommand& command) {
  return [runs = std::make_shared<OnnximRuns>(table_in(command, "chip/onnxim"), command.hardware,
                                              shipped_folder("traces"))] { return runs->compare(); };
}

Run prepare_tpuv3(const ValidateCommand& command) {
  return [csv = table_in(command, "tpuv3/tpuv3"), core = session_on(command, "tpu_v3_core")] {
    return validate_tpuv3(csv, *core);
  };
}

Run prepare_tpuv4(const ValidateCommand& command) {
  return [csv = table_in(command, "tpuv4"), sample = command.sample, chip = session_on(command, "tpu_v4_chip")] {
    return validate_tpuv4(csv, *chip, sample);
  };
}

Run prepare_a100(const ValidateCommand& command) {
  return [csv = table_in(command, "a100_gemm"), sample = command.sample, chip = session_on(command, "a100")] {
    return validate_a100(csv, *chip, sample);
  };
}

Run prepare_wormhole(const ValidateCommand& command) {
  return [csv = table_in(command, "wormhole_gemm"), sample = command.sample,
          wormhole = session_on(command, "wormhole_n150"), blackhole = session_on(command, "blackhole_p150")] {
    return validate_wormhole(csv, {*wormhole, *blackhole}, sample);
  };
}

const std::vector<Suite>& suites() {
  static const std::vector<Suite> kSuites{{"dram", prepare_dram, {"dram/dram"}},
                                          {"noc", prepare_noc, {"noc/noc"}},
                                          {"matmul", prepare_matmul, {"matmul/scale_sim", "matmul/gemmini"}},
                                          {"chip", prepare_chip, {"chip/onnxim"}},
                                          {"tpuv3", prepare_tpuv3, {"tpuv3/tpuv3"}},
                                          {"tpuv4", prepare_tpuv4, {"tpuv4"}},
                                          {"a100", prepare_a100, {"a100_gemm"}},
                                          {"wormhole", prepare_wormhole, {"wormhole_gemm"}}};
  return kSuites;
}

bool is_run(const ValidateCommand& command, const Suite& suite) {
  if (!command.suite.empty()) return command.suite == suite.name;
  return std::ranges::all_of(suite.tables,
                             [&](const auto& table) { return std::filesystem::exists(table_in(command, table)); });
}

// Rows of every suite in one table.
void append(std::string& csv, const ValidationReport& report) {
  const std::string table = to_csv(report);
  csv += csv.empty() ? table : table.substr(table.find('\n') + 1);
}

int run(ValidateCommand command) {
  const bool named = !command.references.empty();
  if (!named) command.references = shipped_folder("references");
  if (command.hardware.empty()) command.hardware = shipped_folder("hw_configs");
  if (!command.csv.empty()) check_output_file(command.csv);
  std::string csv;
  bool ok = true;
  command.sample.family_done = [](const std::string& line) { tell("{}", line); };
  std::vector<Run> runs;
  std::vector<std::string> without_table;
  for (const Suite& suite : suites()) {
    if (is_run(command, suite)) {
      runs.push_back(suite.prepare(command));
    } else if (named && command.suite.empty()) {
      without_table.push_back(suite.name);
    }
  }
  if (runs.empty()) throw UserError(command.references, "there is no table of reference figures");
  if (!without_table.empty())
    tell("left out, since {} has no table of it: {}\n", command.references, fmt::join(without_table, ", "));
  for (const Run& measure : runs) {
    const ValidationReport report = measure();
    fmt::print("{}\n", to_text(report, command.all_rows));
    append(csv, report);
    ok = ok && report.ok();
  }
  if (!command.csv.empty()) write_text_file(command.csv, csv);
  return ok ? 0 : 1;
}

std::vector<std::string> suite_names() {
  std::vector<std::string> names;
  for (const Suite& suite : suites()) names.emplace_back(suite.name);
  return names;
}

}  // namespace

void add_validate_command(CLI::App& app, int& result) {
  auto command = std::make_shared<ValidateCommand>();
  CLI::App* sub =
      app.add_subcommand("validate", "Compare the model's parts with trusted simulators and measured chips");
  sub->add_option("SUITE", command->suite, fmt::format("one of {}; all without it", fmt::join(suite_names(), ", ")))
      ->check(CLI::IsMember(suite_names()));
  sub->add_option("--csv", command->csv, "also write every row as CSV")->type_name("FILE");
  sub->add_option("--references", command->references, "folder of the reference figures")
      ->type_name("DIR")
      ->default_str("those that come with tilewright");
  sub->add_option("--hardware", command->hardware, "folder of the hardware files of the compared chips")
      ->type_name("DIR")
      ->default_str("those that come with tilewright");
  sub->add_option("--per-family", command->sample.per_family,
                  "of tables of measured chips, rows of every family that are run; 0: all")
      ->type_name("N")
      ->check(CLI::Range(0, 1000000));
  sub->add_option("--seed", command->sample.seed, "of the draw of those rows")->type_name("N");
  sub->add_flag("--rows", command->all_rows, "print every row, not only those outside their band");
  sub->callback([command, &result] { result = run(*command); });
}

}  // namespace tilewright
