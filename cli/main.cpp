// The program `tilewright`: picks the sub-command and turns every failure into one message and an exit code.
//
// libsystemc exports a main of its own; ours comes first, silences the library's banner and then enters through
// SystemC's official door, which calls sc_main below.
#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <new>
#include <systemc>

#include "cli/commands.h"
#include "cli/process_limits.h"
#include "cli/progress.h"
#include "cli/tell.h"
#include "planner/measure/simulator_version.h"
#include "sim/base/error.h"
#include "sim/base/printable.h"
#include "sim/base/stop.h"
#include "sim/base/text_list.h"

namespace tilewright {
namespace {

constexpr int kSuccess = 0, kOurBug = 1, kUserMistake = 2;

int complain(int code, std::string_view prefix, std::string_view message) {
  std::fflush(stdout);
  tell("{}: {}\n", prefix, printable(message, "\n"));
  return code;
}

// Planning builds large containers and drops them again and again: what is freed stays with the program, rather than
// being handed back to the system page by page.
void keep_freed_memory() {
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
}

// CLI11 says no more than that a sub-command is required; this says which there are.
void require_known_command(const CLI::App& app, int argc, char** argv) {
  if (argc > 1 && argv[1][0] == '-') return;
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (argc > 1 && command->get_name() == argv[1]) return;
    if (!command->get_group().empty()) append_item(names, "|", command->get_name());
  }
  throw UserError("",
                  fmt::format("got {}, expected {}", argc > 1 ? fmt::format("'{}'", argv[1]) : "no command", names));
}

// The arguments, or the help that was asked for.
int parse_and_run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return complain(kUserMistake, "error", fmt::format("{} (tilewright --help lists what there is)", error.what()));
  }
  return kSuccess;
}

// The commands' options have their defaults from the constants: those are in effect before the first command is made.
int run_command(int argc, char** argv) {
  keep_freed_memory();
  catch_interrupts();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may grow no more is an error of writing it
  set_constants_of_environment();
  CLI::App app("Cycle-approximate simulator of multi-core AI accelerators, with a planner", "tilewright");
  app.require_subcommand(1);
  app.option_defaults()->always_capture_default();
  app.set_version_flag("--version", fmt::format("tilewright {}, model {}", TILEWRIGHT_VERSION, simulator_version()));
  app.fallthrough();
  add_limits(app);
  int result = kSuccess;
  add_run_command(app, result);
  add_plan_command(app);
  add_exec_command(app);
  add_asm_commands(app);
  add_link_command(app);
  add_communicate_command(app);
  add_tile_command(app);
  add_tune_command(app);
  add_copy_command(app, result);
  add_explore_command(app, result);
  add_merge_command(app);
  add_schedule_command(app);
  add_labels_command(app);
  add_modules_command(app);
  add_limit_command(app);
  add_db_command(app, result);
  add_validate_command(app, result);
  add_report_command(app);
  add_constants_command(app);
  add_document_command(app, TILEWRIGHT_VERSION);
  hide_unset_defaults(app);
  require_known_command(app, argc, argv);
  const int parsed = parse_and_run(app, argc, argv);
  return parsed == kSuccess ? result : parsed;
}

// What was printed has to arrive: a result on a full disk is none.
int with_output_written(int code) {
  std::cout.flush();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (written || code == kUserMistake) return code;
  return complain(kUserMistake, "error", "standard output: cannot be written, or not all of it");
}

int run_program(int argc, char** argv) {
  try {
    return with_output_written(run_command(argc, argv));
  } catch (const Stopped& stopped) {
    if (stopped.why() == Stopped::Why::kTime) return complain(kUserMistake, "error", stopped.what());
    tell("{}\n", stopped.what());
    return kInterruptedExit;
  } catch (const UserError& error) {
    return complain(kUserMistake, "error", error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    // Somebody's folder that may not be read, a path longer than the system takes.
    return complain(kUserMistake, "error", fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    return complain(kUserMistake, "error", "this machine has too little memory for that workload");
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return with_output_written(kOurBug);
    return complain(kOurBug, "internal error (a fault of tilewright, please report it)", error.what());
  }
}

}  // namespace
}  // namespace tilewright

int sc_main(int argc, char** argv) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  return tilewright::run_program(argc, argv);
}

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}
