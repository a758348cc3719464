// One function per sub-command: declares its arguments on `app`; CLI11 calls it back when it was chosen. They throw
// UserError for the user's mistakes and print to stdout. `result` is the exit code where success has two outcomes.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tilewright {

void add_run_command(CLI::App& app, int& result);
void add_plan_command(CLI::App& app);
void add_exec_command(CLI::App& app);
void add_asm_commands(CLI::App& app);  // asm and disasm
void add_link_command(CLI::App& app);
void add_communicate_command(CLI::App& app);
void add_tile_command(CLI::App& app);
void add_tune_command(CLI::App& app);
void add_copy_command(CLI::App& app, int& result);
void add_explore_command(CLI::App& app, int& result);
void add_merge_command(CLI::App& app);
void add_schedule_command(CLI::App& app);
void add_labels_command(CLI::App& app);
void add_modules_command(CLI::App& app);
void add_limit_command(CLI::App& app);
void add_db_command(CLI::App& app, int& result);
void add_validate_command(CLI::App& app, int& result);
void add_report_command(CLI::App& app);
// Not in the help: for maintenance and packages.
void add_constants_command(CLI::App& app);
void add_document_command(CLI::App& app, const std::string& version);

// TILEWRIGHT_CONSTANTS="name=value,...": sets the planner's constants for an experiment, and says so on stderr.
void set_constants_of_environment();

// Values of options that only stand for "not given" (empty lists, numbers that the option itself refuses) are no
// defaults to be shown.
void hide_unset_defaults(CLI::App& app);

}  // namespace tilewright
