// tilewright exec HARDWARE PROGRAM.tw: simulates an instruction program as it stands.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/shipped.h"
#include "cli/simulate.h"
#include "cli/what_if.h"
#include "cli/workload_options.h"
#include "planner/report/run/text.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/text.h"
#include "sim/isa/verify/verify.h"

namespace tilewright {
namespace {

struct ExecCommand {
  std::string hardware, program, output, what_if;
  bool expect_written = false;
  SimulateOptions simulate;
  WaveformArguments waveform;
};

void run(const ExecCommand& command) {
  SimulateOptions simulate = command.simulate;
  simulate.waveform = waveform_of(command.waveform);
  if (!command.output.empty()) check_result_folder(command.output);
  const Hardware hardware = load_hardware(command.hardware);
  InstructionLines lines;
  const Program program = load_program(command.program, &lines);
  verify(program, hardware, command.program, lines);
  if (command.expect_written) verify_written(program, hardware, command.program, lines);
  WhatIfRuns what_if(command.what_if, command.hardware, hardware);
  what_if.prepare(simulate, nullptr);
  Simulated simulated = simulate_program(program, hardware, workload_name(command.program), simulate);
  what_if.measure(program, simulated.report);
  if (!command.output.empty()) write_result_folder(command.output, result_files(simulated, hardware, &program));
  fmt::print("{}", to_text(simulated.report));
  print_places(command.output, command.waveform);
}

}  // namespace

void add_exec_command(CLI::App& app) {
  auto command = std::make_shared<ExecCommand>();
  CLI::App* sub = app.add_subcommand("exec", "Verify and simulate an instruction program");
  add_file_argument(*sub, Shipped::kChip, command->hardware)->required();
  add_file_argument(*sub, Shipped::kProgram, command->program)->required();
  CLI::Option* output = sub->add_option("-o,--output", command->output, "write a result folder")->type_name("DIR");
  sub->add_flag("--trace", command->simulate.trace, "add trace.json, for Perfetto")->needs(output);
  add_waveform_arguments(*sub, command->waveform);
  add_what_if_option(*sub, command->what_if);
  sub->add_flag("--expect-written", command->expect_written, "refuse a program that reads bytes that nothing wrote");
  sub->callback([command] { run(*command); });
}

}  // namespace tilewright
