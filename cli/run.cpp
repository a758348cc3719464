// tilewright run HARDWARE WORKLOAD: the whole path, from a workload file to its measured cost.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/database_options.h"
#include "cli/language_run.h"
#include "cli/simulate.h"
#include "cli/tilings.h"
#include "cli/what_if.h"
#include "cli/workload_options.h"
#include "cli/write_outputs.h"
#include "planner/report/run/text.h"
#include "planner/search/tiling/tiling_network.h"
#include "sim/base/error.h"
#include "sim/base/text_file.h"

namespace tilewright {
namespace {

struct RunCommand : WorkloadOptions {
  std::string output;
  std::string outputs, outputs_format = "npy";
  bool program = false, repeat = true;
  SimulateOptions simulate;
  WaveformArguments waveform;
  std::int64_t tune = 0;
  DatabaseOptions tilings;
  bool tilings_loss = false;
  std::int64_t tilings_budget = 64;
  std::string tilings_reach = "gain";
  std::string what_if;
};

void print_text(const std::string& text) { fmt::print("{}", text); }

// Whether tilings come from measurements: now, or kept in a database.
bool tiles_by_measurements(const RunCommand& command) { return command.tune > 0 || !command.tilings.database.empty(); }

TiledPlan tiled_by_database(const RunCommand& command, const AskedPlan& asked, const Hardware& hardware) {
  DatabaseOptions options = command.tilings;
  options.hardware = command.hardware;
  const auto index = load_index(options, hardware);
  TiledPlan tiled = with_tilings(asked.graph, hardware, asked.options, *index,
                                 parse_tiling_reach(command.tilings_reach, "--tilings-reach"), jobs_of(options));
  if (command.tilings_loss) measure_losses(tiled, objective_of(options), command.tilings_budget, jobs_of(options));
  return tiled;
}

// Tuned first, where both are asked for: what has been measured now stays.
TiledPlan tiled_by_measurements(const RunCommand& command, const Hardware& hardware, const Graph& graph) {
  AskedPlan asked = asked_plan(graph, hardware, command, print_text);
  TiledPlan tiled;
  if (command.tune > 0) {
    tiled.plan = tuned_plan(asked.graph, hardware, asked.options, {.budget = command.tune}, jobs_of(command.tilings));
    asked.options = tiled.plan.options;
  }
  if (!command.tilings.database.empty()) tiled = tiled_by_database(command, asked, hardware);
  if (!command.dump_after.empty())
    make_plan(asked.graph, hardware, tiled.plan.options, dumping_passes(command, print_text));
  return tiled;
}

TiledPlan plan_of(const RunCommand& command) {
  if (!tiles_by_measurements(command)) return {plan_workload(command), {}};
  const Hardware hardware = load_hardware(command.hardware);
  const Graph graph = import_workload(command.workload, import_options(command));
  return naming_workload(command.workload, [&] { return tiled_by_measurements(command, hardware, graph); });
}

void add_value_options(CLI::App& sub, const std::shared_ptr<RunCommand>& command) {
  sub.add_option("--inputs", command->inputs,
                 "values of the inputs: NAME.npy, NAME.pb or input_N.pb of this folder (default: seeded)")
      ->type_name("DIR");
  CLI::Option* outputs =
      sub.add_option("--outputs", command->outputs, "write the values of the outputs, as the chip computed them")
          ->type_name("DIR");
  sub.add_option("--outputs-format", command->outputs_format, "npy: NAME.npy; pb: output_N.pb, as ONNX's test data")
      ->check(CLI::IsMember({"npy", "pb"}))
      ->type_name("FORMAT")
      ->needs(outputs);
}

// Nothing when measurements chose the tilings: a plan without them is another one.
PlanAgain plan_again_of(const RunCommand& command, bool measured) {
  if (measured) return nullptr;
  return [&command](const Hardware& changed) {
    WorkloadOptions options = command;
    options.dump_after.clear();
    return plan_workload_on(changed, options);
  };
}

// Whether planning starts processes, which it may only before this one has a chip.
bool forks(const RunCommand& command) { return tiles_by_measurements(command) || measures_ways(command); }

struct Finished {
  TiledPlan tiled;
  Simulated simulated;
};

Finished plan_and_simulate(const RunCommand& command, SimulateOptions simulate) {
  Finished done;
  done.tiled = plan_of(command);
  WhatIfRuns what_if(command.what_if, command.hardware, done.tiled.plan.hardware);
  what_if.prepare(simulate, plan_again_of(command, tiles_by_measurements(command)));
  done.simulated = simulate_plan(done.tiled.plan, workload_name(command.workload), simulate);
  what_if.measure(done.tiled.plan.program, done.simulated.report);
  return done;
}

// A network of blocks that repeat: the first where they stand for all, else all of them.
Finished run_blocks(RunCommand command, SimulateOptions simulate) {
  std::optional<Session> session;  // of all attempts: a process has one chip
  simulate.execute = [&](const Program& program, const Hardware& hardware, RunOptions options, bool trace) {
    if (!session) session.emplace(hardware);
    return execute_on(*session, program, std::move(options), trace);
  };
  for (const std::int64_t blocks : block_counts(command.workload, import_options(command), command.repeat)) {
    if (session && forks(command))
      throw UserError(command.workload, "its blocks take other times: with workers that measure, run with --no-repeat");
    (is_language_config(command.workload) ? command.language.blocks : command.blocks) = blocks;
    Finished done = plan_and_simulate(command, simulate);
    if (add_repeat_report(command.workload, import_options(command), done.tiled.plan, done.simulated.report))
      return done;
  }
  SIM_CHECK(false, "{}: a run of all blocks has no report", command.workload);
}

bool has_blocks(const RunCommand& command) { return repeated_blocks(command.workload, import_options(command)) > 0; }

void check_options(const RunCommand& command, bool blocks) {
  if (!command.repeat && !blocks)
    throw UserError(command.workload,
                    "--no-repeat is for language models (.json) and graphs with a repeated block (.yaml)");
  if (blocks && command.repeat && (!command.outputs.empty() || !command.waveform.path.empty()))
    throw UserError(command.workload, "--outputs and --waveform need all blocks: run with --no-repeat");
  if (blocks && command.repeat && !command.what_if.empty())
    throw UserError(command.workload, "--what-if needs all blocks: run with --no-repeat");
}

int run(RunCommand command) {
  command.values = !command.inputs.empty() || !command.outputs.empty();
  const bool blocks = has_blocks(command);
  check_options(command, blocks);
  SimulateOptions simulate = command.simulate;
  simulate.waveform = waveform_of(command.waveform);
  if (!command.output.empty()) check_result_folder(command.output);
  if (!command.outputs.empty()) check_parent_folder(command.outputs + "/output");
  simulate.values = !command.outputs.empty();
  const Finished done = blocks ? run_blocks(command, simulate) : plan_and_simulate(command, simulate);
  const Plan& plan = done.tiled.plan;
  const Simulated& simulated = done.simulated;
  if (!command.output.empty())
    write_result_folder(command.output,
                        result_files(simulated, plan.hardware, command.program ? &plan.program : nullptr));
  if (!command.outputs.empty()) write_outputs(plan, simulated.kept, command.outputs, command.outputs_format == "pb");
  fmt::print("{}", to_text(simulated.report));
  if (!command.tilings.database.empty()) fmt::print("{}", tilings_text(done.tiled));
  print_places(command.output, command.waveform);
  if (!command.outputs.empty()) fmt::print("\nOutputs: {}\n", command.outputs);
  return simulated.report.check_ok() ? 0 : 1;
}

}  // namespace

void add_run_command(CLI::App& app, int& result) {
  auto command = std::make_shared<RunCommand>();
  CLI::App* sub = app.add_subcommand("run", "Plan a workload, simulate it and report time, energy and where they went");
  add_workload_options(*sub, *command);
  add_order_option(*sub, *command);
  CLI::Option* output = sub->add_option("-o,--output", command->output, "write a result folder")->type_name("DIR");
  sub->add_flag("--check", command->simulate.check, "carry real numbers and compare the outputs with a reference");
  add_value_options(*sub, command);
  sub->add_flag_callback(
      "--no-repeat", [command] { command->repeat = false; },
      "simulate all blocks that repeat (default: three, where the third takes the time of the second)");
  sub->add_flag("--trace", command->simulate.trace, "add trace.json, for Perfetto")->needs(output);
  sub->add_flag("--program", command->program, "add program.tw, the instruction program")->needs(output);
  add_waveform_arguments(*sub, command->waveform);
  add_what_if_option(*sub, command->what_if);
  CLI::Option* tune =
      sub->add_option("--tune", command->tune, "choose each contraction's tiling by this many measurements")
          ->check(at_least(1));
  CLI::Option* tilings = sub->add_option("--tilings", command->tilings.database, "take tilings from this database");
  CLI::Option* loss = sub->add_flag("--tilings-loss", command->tilings_loss,
                                    "search too, operator by operator: what the database's tilings lose");
  loss->needs(tilings);
  sub->add_option("--tilings-objective", command->tilings.objective, "whose records: cycles, energy or edp")
      ->check(CLI::IsMember({"cycles", "energy", "edp"}))
      ->needs(tilings);
  sub->add_option("--tilings-budget", command->tilings_budget, "measurements of a search")
      ->check(at_least(1))
      ->needs(loss);
  sub->add_option("--tilings-reach", command->tilings_reach,
                  "which matches to use: gain (those that should take less than the planner's own tiling), linear "
                  "(those in the linear region of their record) or all")
      ->check(CLI::IsMember({"gain", "linear", "all"}))
      ->type_name("WHICH")
      ->needs(tilings);
  tilings->excludes(tune);
  sub->add_option("--jobs", command->tilings.jobs, "worker processes that measure, with --tune or --tilings")
      ->check(CLI::Range(1, 1024));
  sub->callback([command, &result] { result = run(*command); });
}

}  // namespace tilewright
