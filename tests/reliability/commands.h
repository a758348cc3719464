// Commands that leave something behind, each with what must be the same however it came to be.
#pragma once

#include <string>
#include <vector>

#include "tests/reliability/process.h"

namespace tilewright::testing_support {

struct LastingCommand {
  std::string name;
  std::string before;             // what has to be there first, in OUT
  std::string line;               // the command, $T for tilewright; " JOBS" where a number of processes may stand
  std::vector<std::string> kept;  // files in OUT
  std::string shown = {};         // a command that prints what the kept files hold, where their bytes may differ
};

inline const std::vector<LastingCommand>& lasting_commands() {
  static const std::string kStudy = "$T explore tests/studies/tiny.yaml ";
  static const std::string kBuild =
      "$T db build hw_configs/edge_single.yaml --shapes tests/database/shapes.txt --threshold 0.05 --tolerance 0.1 "
      "--budget 2 --max-visits 8 --max-boundary 1 ";
  static const std::vector<LastingCommand> kCommands{
      {"explore", "true", kStudy + "-o OUT/study JOBS", {"study/results.json", "study/results.csv"}},
      {"db_build",
       "true",
       kBuild + "-o OUT/a.db JOBS",
       {},
       "$T db check-integrity OUT/a.db >/dev/null && $T db export OUT/a.db"},
      {"db_merge",
       kBuild + "-o OUT/1.db --slice 1/2 && " + kBuild + "-o OUT/2.db --slice 2/2",
       "$T db merge OUT/1.db OUT/2.db -o OUT/all.db",
       {},
       "$T db check-integrity OUT/all.db >/dev/null && $T db export OUT/all.db"},
      {"tune",
       "true",
       "$T tune hw_configs/edge_single.yaml --m 96 --n 80 --k 64 --budget 24 JOBS > OUT/tune.new && "
       "sed -E 's/ [0-9]+[.][0-9]{6}$//' OUT/tune.new > OUT/tune.cut && mv OUT/tune.cut OUT/tune",
       {"tune"}},
      {"schedule",
       "true",
       "$T schedule tests/golden/chips/four_cores.yaml traces/two_blocks.yaml --min-nodes 1 --budget 8 --group none -o "
       "OUT/order.yaml JOBS",
       {"order.yaml"}},
      {"merge",
       kStudy + "-o OUT/a --slice 1/2 && " + kStudy + "-o OUT/b --slice 2/2",
       "$T merge OUT/a OUT/b -o OUT/all",
       {"all/results.json", "all/results.csv"}},
      {"report",
       kStudy + "-o OUT/study && $T run hw_configs/edge_single.yaml traces/tiny_mlp.onnx -o OUT/run",
       "$T run hw_configs/edge_single.yaml traces/tiny_mlp.onnx -o OUT/run && $T report OUT/study OUT/run -o "
       "OUT/report.html",
       {"report.html", "run/summary.json"}}};
  return kCommands;
}

// tune has nothing but its standard output.
inline std::vector<LastingCommand> commands_with_files() {
  std::vector<LastingCommand> commands = lasting_commands();
  std::erase_if(commands, [](const LastingCommand& command) { return command.name == "tune"; });
  return commands;
}

inline std::string with_jobs(const LastingCommand& command, int jobs) {
  return replace_all(command.line, "JOBS", "--jobs " + std::to_string(jobs));
}

// All that is kept, in one text.
inline std::string kept_of(const LastingCommand& command, const fs::path& out) {
  std::string text;
  for (const std::string& name : command.kept) text += name + ":\n" + read_file(out / name);
  if (command.shown.empty()) return text;
  run_to_the_end(command.shown, out, out / "shown");
  return text + read_file(out / "shown");
}

}  // namespace tilewright::testing_support
