// The built program as a process of its own: under another environment, and killed at some moment.
#pragma once

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "tests/support/command_case.h"

namespace tilewright::testing_support {

// A command line of bash in the root of the repository, tilewright as $T; OUT stands for `out`. Both streams go to
// `log`.
class Process {
 public:
  Process(const std::string& line, const fs::path& out, const fs::path& log) {
    const std::string call = "cd '" TILEWRIGHT_SOURCE_DIR "' && T='" TILEWRIGHT_BINARY_DIR "/cli/tilewright' && { " +
                             replace_all(line, "OUT", out.string()) + "; } >'" + log.string() + "' 2>&1";
    child_ = fork();
    if (child_ != 0) return;
    setpgid(0, 0);
    execl("/bin/bash", "bash", "-c", call.c_str(), nullptr);
    _exit(127);
  }
  ~Process() { end(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Its exit code; -1: ended by a signal.
  int wait() {
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  // SIGINT to all of it, as a terminal sends it.
  void interrupt() { kill(-child_, SIGINT); }

  // SIGKILL to all of it after so long; nothing when it has ended by then.
  void kill_after(std::chrono::microseconds time) {
    std::this_thread::sleep_for(time);
    end();
  }

 private:
  void end() {
    if (child_ < 0) return;
    kill(-child_, SIGKILL);
    wait();
  }
  pid_t child_ = -1;
};

// Of one that has to succeed: how long it took.
inline std::chrono::microseconds run_to_the_end(const std::string& line, const fs::path& out, const fs::path& log) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(Process(line, out, log).wait(), 0) << line << "\n" << read_file(log);
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
}

}  // namespace tilewright::testing_support
