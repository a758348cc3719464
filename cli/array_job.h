// Where long work runs: in processes of this machine, or as slices in the tasks of a Slurm job array: few long tasks,
// each the same command line for a slice of its own. The workers' contract knows nothing of Slurm: a slice does what is
// left of its share, writes every result as a whole or not at all, and may be killed, repeated or run twice at any
// time.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tilewright {

// --engine and what belongs to it.
struct EngineOptions {
  std::string engine = "local", slice = "1/1";
  int slices = 0;  // slurm: tasks of the array
  std::vector<std::string> slurm_options;
  bool is_slurm() const { return engine == "slurm"; }
};

// `what`: what a slice takes every n-th of, e.g. "point".
void add_engine_options(CLI::App& command, EngineOptions& options, const std::string& what);

// UserError for a slice that is none, and for options that do not go with a job array.
void check_engine(const EngineOptions& options);

// In the words of a worker's command: the number i of its slice, the count n, and "i/n". Control characters, so that
// nobody's path has them by chance.
inline constexpr const char* kSliceIndex = "\x01i\x02";
inline constexpr const char* kSliceCount = "\x01n\x02";
inline constexpr const char* kSliceOfArray = "\x01i\x02/\x01n\x02";

struct ArrayJob {
  std::string name;
  std::vector<std::string> command;
  int slices = 1;  // n
  int cpus_per_task = 1;
  std::string folder;                // of job.sh and the tasks' output
  std::vector<std::string> options;  // for sbatch
};

struct SlicedWork {
  // Slices with something left to do, ascending, each 1 to n. Empty: all is done.
  std::function<std::vector<int>()> open_slices;
  // Results so far; grows as work is done. Asked while tasks run.
  std::function<std::int64_t()> done;
  std::function<bool()> interrupted;
};

// Submits the open slices as an array, follows it and submits again what its tasks left undone (a killed task, a lost
// node). Returns false when interrupted: the array is then cancelled. UserError when Slurm refuses, or when three
// arrays in a row bring nothing.
bool run_array_job(const ArrayJob& job, const SlicedWork& work);

// "1-3,7", as sbatch's --array takes it.
std::string array_text(const std::vector<int>& slices);
// The batch script of the tasks.
std::string job_script(const ArrayJob& job);

}  // namespace tilewright
