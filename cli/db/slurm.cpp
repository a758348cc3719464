#include <fmt/format.h>

#include <filesystem>

#include "cli/array_job.h"
#include "cli/db/db.h"
#include "cli/process_limits.h"
#include "cli/progress.h"
#include "sim/base/error.h"
#include "sim/base/stop.h"

namespace tilewright {
namespace {

class SlicedBuild {
 public:
  SlicedBuild(const DatabaseArray& array, const EngineOptions& engine) : array_(array), engine_(engine) {}

  std::string folder() const { return array_.database + ".slurm"; }

  std::vector<int> open_slices() const {
    std::vector<int> open;
    for (int i = 1; i <= engine_.slices; ++i) {
      if (is_begun(i) ? left_of(i) > 0 : !shapes_of(i).empty()) open.push_back(i);
    }
    return open;
  }

  // Shapes finished so far. A file that a task is about to make, or that is damaged, counts as nothing: who opens it
  // next to build or to merge says what is wrong with it.
  std::int64_t finished() const {
    std::int64_t count = 0;
    for (int i = 1; i <= engine_.slices; ++i) {
      try {
        if (is_begun(i)) count += std::ssize(shapes_of(i)) - left_of(i);
      } catch (const UserError&) {
        continue;
      }
    }
    return count;
  }

  ArrayJob job() const {
    ArrayJob job{.name = "db_build", .slices = engine_.slices, .cpus_per_task = array_.jobs};
    job.command = limited_program();
    job.command.insert(job.command.end(), {"db", "build", "--output", file_of(kSliceIndex), "--slice", kSliceOfArray,
                                           "--jobs", std::to_string(array_.jobs)});
    job.command.insert(job.command.end(), array_.options.begin(), array_.options.end());
    job.folder = folder();
    job.options = engine_.slurm_options;
    return job;
  }

  void merge() const {
    std::vector<std::unique_ptr<TilingDatabase>> slices;
    for (int i = 1; i <= engine_.slices; ++i)
      if (is_begun(i)) slices.push_back(std::make_unique<TilingDatabase>(file_of(i), TilingDatabase::Mode::kRead));
    TilingDatabase database(array_.database, TilingDatabase::Mode::kWrite);
    database.merge(slices);
    fmt::print("{}: {} records from {} slices\n", array_.database, database.size(), engine_.slices);
  }

 private:
  template <typename Index>
  std::string file_of(const Index& slice) const {
    return fmt::format("{}/slice_{}_of_{}.db", folder(), slice, engine_.slices);
  }
  // A task that is killed at once may leave an empty file.
  bool is_begun(int slice) const {
    std::error_code missing;
    const std::uintmax_t bytes = std::filesystem::file_size(file_of(slice), missing);
    return !missing && bytes > 0;
  }
  std::vector<OperatorShape> shapes_of(int slice) const { return slice_of(array_.shapes, {slice, engine_.slices}); }
  std::int64_t left_of(int slice) const {
    const TilingDatabase database(file_of(slice), TilingDatabase::Mode::kRead);
    return open_shapes(database, array_.hardware, shapes_of(slice), array_.objective, array_.build);
  }

  const DatabaseArray& array_;
  const EngineOptions& engine_;
};

}  // namespace

void build_on_slurm(const DatabaseArray& array, const EngineOptions& engine) {
  end_interrupted_work_myself();
  const SlicedBuild build(array, engine);
  std::filesystem::create_directories(build.folder());
  Progress progress("db build", "shapes", std::ssize(array.shapes));
  progress.start_at(build.finished());
  SlicedWork work;
  work.open_slices = [&] { return build.open_slices(); };
  work.done = [&] {
    const std::int64_t finished = build.finished();
    progress.update(finished);
    return finished;
  };
  work.interrupted = interrupted;
  if (!run_array_job(build.job(), work)) check_stop();
  build.merge();
}

}  // namespace tilewright
