// One function per sub-command: declares its arguments on `app`; CLI11 calls it back when it was chosen. They throw
// UserError for the user's mistakes and print to stdout. `result` is the exit code where success has two outcomes.
#pragma once

#include <CLI/CLI.hpp>

namespace tilewright {

void add_run_command(CLI::App& app, int& result);
void add_plan_command(CLI::App& app);
void add_exec_command(CLI::App& app);
void add_tile_command(CLI::App& app);
void add_tune_command(CLI::App& app);
void add_copy_command(CLI::App& app, int& result);
void add_explore_command(CLI::App& app, int& result);
void add_merge_command(CLI::App& app);
void add_schedule_command(CLI::App& app);
void add_labels_command(CLI::App& app);
void add_limit_command(CLI::App& app);
void add_db_command(CLI::App& app, int& result);
void add_validate_command(CLI::App& app, int& result);
void add_report_command(CLI::App& app);

}  // namespace tilewright
