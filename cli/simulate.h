// Runs programs and packs what came out as a result folder.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>

#include "planner/ir/plan.h"
#include "planner/report/run/report.h"
#include "planner/report/run/result_folder.h"
#include "sim/session.h"

namespace tilewright {

// --waveform, --from and --to of the commands that simulate one program.
struct WaveformArguments {
  std::string path;
  std::int64_t from_ns = 0;
  std::optional<std::int64_t> to_ns;
};

void add_waveform_arguments(CLI::App& command, WaveformArguments& arguments);

// Nothing when no waveform is asked for. UserError for a file that is not named *.vcd and for a window that ends before
// it begins.
std::optional<WaveformOptions> waveform_of(const WaveformArguments& arguments);

// Says where the result folder and the waveform are, if there are any.
void print_places(const std::string& output, const WaveformArguments& waveform);

struct Execution {
  RunResult result;
  std::string trace;  // as JSON; empty unless asked for
};
// Where a program runs; `trace` asks for the trace.
using Execute =
    std::function<Execution(const Program& program, const Hardware& hardware, RunOptions options, bool trace)>;

// On a session made for it: once per process.
Execution execute_here(const Program& program, const Hardware& hardware, RunOptions options, bool trace);
// On one that may have run others.
Execution execute_on(Session& session, const Program& program, RunOptions options, bool trace);

struct SimulateOptions {
  bool check = false;   // carry values and compare the outputs with the reference; plans only
  bool values = false;  // carry values; plans only
  bool trace = false;
  std::optional<WaveformOptions> waveform;
  Execute execute = execute_here;
};

struct Simulated {
  Report report;
  std::string trace;              // as JSON; empty unless asked for
  std::vector<SegmentData> kept;  // final bytes of the tensors, with values
};

Simulated simulate_plan(const Plan& plan, const std::string& name, const SimulateOptions& options);
Simulated simulate_program(const Program& program, const Hardware& hardware, const std::string& name,
                           const SimulateOptions& options);

// summary.json, operators.csv, hardware.yaml; trace.json where there is one; program.tw when `program` is given.
ResultFiles result_files(const Simulated& simulated, const Hardware& hardware, const Program* program);

}  // namespace tilewright
