#include "cli/simulate.h"

#include <fmt/format.h>

#include "cli/workload_options.h"
#include "planner/measure/check.h"
#include "planner/reference/reference.h"
#include "planner/report/run/make_report.h"
#include "planner/report/run/report.h"
#include "planner/report/run/trace_file.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/text.h"

namespace tilewright {
namespace {

constexpr Picoseconds kNanosecond = 1000;

Execution execute(const Program& program, const Hardware& hardware, RunOptions options, const SimulateOptions& asked) {
  options.waveform = asked.waveform;
  options.causes = true;
  return asked.execute(program, hardware, std::move(options), asked.trace);
}

std::vector<CheckedOutput> checked_outputs(const Plan& plan, const CheckReport& checks) {
  std::vector<CheckedOutput> outputs;
  for (const OperatorCheck& check : checks.operators)
    outputs.push_back({plan.graph.op(check.op).name, check.worst_error, check.tolerance, check.passed()});
  return outputs;
}

}  // namespace

void add_waveform_arguments(CLI::App& command, WaveformArguments& arguments) {
  CLI::Option* waveform = command
                              .add_option("--waveform", arguments.path,
                                          "write queue fill, buffer occupancy and unit state over time, for GTKWave")
                              ->type_name("FILE.vcd");
  const CLI::Range time(std::int64_t{0}, kNever / kNanosecond);
  command.add_option("--from", arguments.from_ns, "write changes from this time on, from launch")
      ->type_name("NS")
      ->check(time)
      ->needs(waveform);
  command.add_option("--to", arguments.to_ns, "write changes up to this time")
      ->type_name("NS")
      ->check(time)
      ->needs(waveform);
}

std::optional<WaveformOptions> waveform_of(const WaveformArguments& arguments) {
  if (arguments.path.empty()) return std::nullopt;
  if (!arguments.path.ends_with(".vcd"))
    throw UserError("--waveform", fmt::format("got '{}', expected a file named *.vcd", arguments.path));
  WaveformOptions options{arguments.path, arguments.from_ns * kNanosecond};
  if (!arguments.to_ns) return options;
  if (*arguments.to_ns < arguments.from_ns)
    throw UserError("--to", fmt::format("got {}, expected at least {} (--from)", *arguments.to_ns, arguments.from_ns));
  options.to = *arguments.to_ns * kNanosecond;
  return options;
}

void print_places(const std::string& output, const WaveformArguments& waveform) {
  if (!output.empty() || !waveform.path.empty()) fmt::print("\n");
  if (!output.empty()) fmt::print("Results: {}\n", output);
  if (!waveform.path.empty()) fmt::print("Waveform: {}\n", waveform.path);
}

Execution execute_here(const Program& program, const Hardware& hardware, RunOptions options, bool trace) {
  Session session(hardware);
  return execute_on(session, program, std::move(options), trace);
}

Execution execute_on(Session& session, const Program& program, RunOptions options, bool trace) {
  TraceRecorder recorder;
  if (trace) options.trace = &recorder;
  Execution execution{session.run(program, options), {}};
  if (trace) execution.trace = recorder.to_json(program.operators);
  return execution;
}

Simulated simulate_plan(const Plan& plan, const std::string& name, const SimulateOptions& options) {
  const RunOptions run_options = options.check || options.values ? value_run(plan, kValueSeed) : RunOptions{};
  Execution run = execute(plan.program, plan.hardware, run_options, options);
  ReportInput input{.hardware = plan.hardware, .program = plan.program, .result = run.result, .workload = name};
  input.plan = &plan;
  if (options.check) {
    const CheckReport checks = compare_values(plan, run.result.kept);
    input.checked = checked_outputs(plan, checks);
    input.checked_by_readers = checks.by_readers;
  }
  return {make_report(input), std::move(run.trace), std::move(run.result.kept)};
}

Simulated simulate_program(const Program& program, const Hardware& hardware, const std::string& name,
                           const SimulateOptions& options) {
  Execution run = execute(program, hardware, {}, options);
  const ReportInput input{.hardware = hardware, .program = program, .result = run.result, .workload = name};
  return {make_report(input), std::move(run.trace), {}};
}

ResultFiles result_files(const Simulated& simulated, const Hardware& hardware, const Program* program) {
  ResultFiles files{{"summary.json", to_json(simulated.report)},
                    {"operators.csv", operators_csv(simulated.report)},
                    {"hardware.yaml", to_yaml(hardware)}};
  if (!simulated.trace.empty()) files["trace.json"] = simulated.trace;
  if (program != nullptr) files["program.tw"] = print_program(*program);
  return files;
}

}  // namespace tilewright
