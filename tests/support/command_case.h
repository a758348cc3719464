// A case is a folder of text: `command` holds the arguments of one call of the built program, every other file what
// must come out of it. OUT in the command stands for a result folder that does not exist yet.
//   exit_code       the exit code, when it is not the usual one of the test
//   stdout, stderr  all of that stream
//   other names     the file of that name in the result folder
// With TILEWRIGHT_UPDATE_GOLDEN=1 in the environment the expected files are rewritten instead of compared.
#pragma once

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/scratch_folder.h"

namespace tilewright::testing_support {

namespace fs = std::filesystem;

inline std::string replace_all(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

struct Outcome {
  int exit_code = -1;                        // -1: ended by a signal
  std::map<std::string, std::string> files;  // stdout, stderr, and those of the result folder
};

// Runs `tilewright ARGUMENTS` in the root of the repository; `arguments` go through the shell.
inline Outcome run_tilewright(const std::string& arguments, const fs::path& scratch) {
  const fs::path out = scratch / "out", stdout_file = scratch / "stdout", stderr_file = scratch / "stderr";
  const std::string call = "cd '" TILEWRIGHT_SOURCE_DIR "' && timeout 300 '" TILEWRIGHT_BINARY_DIR "/cli/tilewright' " +
                           replace_all(arguments, "OUT", out.string()) + " >'" + stdout_file.string() + "' 2>'" +
                           stderr_file.string() + "'";
  const int status = std::system(call.c_str());
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, {}};
  outcome.files["stdout"] = replace_all(read_file(stdout_file), out.string(), "OUT");
  outcome.files["stderr"] = replace_all(read_file(stderr_file), out.string(), "OUT");
  if (fs::exists(out))
    for (const fs::directory_entry& entry : fs::directory_iterator(out))
      outcome.files[entry.path().filename().string()] = read_file(entry.path());
  return outcome;
}

inline std::string command_of(const fs::path& folder) {
  std::string command = read_file(folder / "command");
  std::replace(command.begin(), command.end(), '\n', ' ');
  return command;
}

// Names of the folders below `parent` that hold a command, sorted.
inline std::vector<std::string> cases_in(const std::string& parent) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(TILEWRIGHT_SOURCE_DIR) / parent))
    if (fs::exists(entry.path() / "command")) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

inline void compare_with_case(const Outcome& outcome, const fs::path& folder, int usual_exit_code) {
  const bool update = std::getenv("TILEWRIGHT_UPDATE_GOLDEN") != nullptr;
  int wanted = usual_exit_code, compared = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name == "command") continue;
    if (name == "exit_code") {
      wanted = std::stoi(read_file(entry.path()));
      continue;
    }
    const auto found = outcome.files.find(name);
    ++compared;
    if (found == outcome.files.end())
      ADD_FAILURE() << "no " << name << " came out";
    else if (update)
      std::ofstream(entry.path(), std::ios::binary) << found->second;
    else
      EXPECT_EQ(found->second, read_file(entry.path())) << name;
  }
  EXPECT_GT(compared, 0) << "the case expects nothing: add an empty file for each that is to be compared";
  EXPECT_EQ(outcome.exit_code, wanted) << outcome.files.at("stderr");
}

}  // namespace tilewright::testing_support
