#include "cli/array_job.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <thread>

#include "cli/tell.h"
#include "planner/measure/worker_pool.h"
#include "sim/base/error.h"
#include "sim/base/shell_text.h"
#include "sim/base/text_file.h"
#include "sim/base/text_list.h"

namespace tilewright {

void add_engine_options(CLI::App& command, EngineOptions& options, const std::string& what) {
  command.add_option("--slice", options.slice, fmt::format("only every n-th {} from the i-th on", what))
      ->type_name("i/n");
  command.add_option("--engine", options.engine, "local, or slurm: a job array of slices")
      ->check(CLI::IsMember({"local", "slurm"}))
      ->capture_default_str();
  command.add_option("--slices", options.slices, "slurm: tasks of the array, each with --jobs processes")
      ->check(CLI::Range(1, 10000));
  command.add_option("--slurm-option", options.slurm_options, "slurm: an option for sbatch, e.g. --partition=long")
      ->type_name("OPTION")
      ->take_all();
}

void check_engine(const EngineOptions& options) {
  const Slice slice = parse_slice(options.slice);
  if (!options.is_slurm()) return;
  if (options.slices == 0) throw UserError("--slices", "missing, expected the number of tasks of the Slurm array");
  if (!slice.is_all()) throw UserError("--slice", "is for workers; --engine slurm makes its own");
}

namespace {

constexpr auto kPoll = std::chrono::seconds(1);
constexpr int kMaxSilentPolls = 120;  // a controller that restarts answers again within that
constexpr int kMaxFruitless = 3;

std::string replaced(std::string text, std::string_view what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

struct Outcome {
  int exit_code = 0;
  std::string text;  // both streams, without the last line break
};

Outcome run_command(const std::vector<std::string>& words) {
  FILE* pipe = popen((shell_line(words) + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw UserError(words.front(), "cannot be started");
  Outcome outcome;
  std::array<char, 4096> chunk;
  for (std::size_t count; (count = fread(chunk.data(), 1, chunk.size(), pipe)) > 0;)
    outcome.text.append(chunk.data(), count);
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  while (!outcome.text.empty() && outcome.text.back() == '\n') outcome.text.pop_back();
  return outcome;
}

// The number of the new job.
std::string submit(const ArrayJob& job, const std::vector<int>& slices) {
  const std::string script = job.folder + "/job.sh";
  write_text_file(script, job_script(job));
  std::vector<std::string> words{"sbatch",
                                 "--parsable",
                                 "--job-name=" + job.name,
                                 "--array=" + array_text(slices),
                                 fmt::format("--cpus-per-task={}", job.cpus_per_task),
                                 "--chdir=" + std::filesystem::current_path().string(),
                                 fmt::format("--output={}/task_%A_%a.log", job.folder)};
  words.insert(words.end(), job.options.begin(), job.options.end());
  words.push_back(script);
  const Outcome outcome = run_command(words);
  const std::string number = outcome.text.substr(0, outcome.text.find(';'));  // "number;cluster"
  if (outcome.exit_code != 0 || number.find_first_not_of("0123456789") != std::string::npos)
    throw UserError("sbatch", outcome.text);
  return number;
}

// Whether tasks of the job wait or run; nothing when the controller does not answer.
std::optional<bool> is_queued(const std::string& number) {
  const Outcome outcome = run_command({"squeue", "--noheader", "--jobs=" + number, "--format=%T"});
  if (outcome.exit_code == 0) return !outcome.text.empty();
  if (outcome.text.find("Invalid job id") != std::string::npos) return false;  // finished and forgotten
  return std::nullopt;
}

// Until no task is left. Returns false when interrupted.
bool follow(const std::string& number, const SlicedWork& work) {
  int silent = 0;
  while (true) {
    if (work.interrupted()) {
      run_command({"scancel", number});
      return false;
    }
    const std::optional<bool> queued = is_queued(number);
    if (queued == false) return true;
    silent = queued ? 0 : silent + 1;
    if (silent == kMaxSilentPolls) throw UserError("squeue", "the Slurm controller does not answer any more");
    work.done();
    std::this_thread::sleep_for(kPoll);
  }
}

}  // namespace

std::string array_text(const std::vector<int>& slices) {
  std::string text;
  for (std::size_t begin = 0, end; begin < slices.size(); begin = end) {
    for (end = begin + 1; end < slices.size() && slices[end] == slices[end - 1] + 1;) ++end;
    append_item(text, ",", std::to_string(slices[begin]));
    if (end - begin > 1) text += fmt::format("-{}", slices[end - 1]);
  }
  return text;
}

std::string job_script(const ArrayJob& job) {
  std::string line = replaced(shell_line(job.command), kSliceCount, std::to_string(job.slices));
  line = replaced(std::move(line), kSliceIndex, "'\"$SLURM_ARRAY_TASK_ID\"'");  // within a quoted word
  return fmt::format(
      "#!/bin/bash\n# Each task does what is left of its slice; it may be killed and run again.\nexec {}\n", line);
}

bool run_array_job(const ArrayJob& job, const SlicedWork& work) {
  int fruitless = 0;
  for (std::vector<int> open; !(open = work.open_slices()).empty();) {
    const std::int64_t before = work.done();
    const std::string number = submit(job, open);
    tell("submitted job {}: slices {} of {}\n", number, array_text(open), job.slices);
    if (!follow(number, work)) return false;
    fruitless = work.done() > before ? 0 : fruitless + 1;
    if (fruitless == kMaxFruitless)
      throw UserError(job.folder, fmt::format("three job arrays in a row brought no result; the output of the last one "
                                              "stands in task_{}_*.log",
                                              number));
  }
  return true;
}

}  // namespace tilewright
