// Design-space studies: `tilewright explore` on this machine.
#include "cli/explore/pool.h"
#include "cli/shipped.h"
#include "planner/measure/simulator_version.h"
#include "planner/report/study/study_folder.h"
#include "planner/report/study/study_results.h"
#include "planner/search/study/study_read.h"
#include "python/bindings.h"
#include "python/chip_worker.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

namespace py = pybind11;

// Measures what is left of one round; every point is in the folder as soon as it is there.
void measure_round(PointPool& pool, const StudyFolder& folder, const PointResults& earlier, const OpenWork& work) {
  const Study& study = folder.study();
  pool.measure(queries_of(study, work.round, work.open), [&](PointResult fresh) {
    const auto known = earlier.find(fresh.point);
    folder.save(joined(study, known == earlier.end() ? nullptr : &known->second, std::move(fresh)));
  });
}

// The study's folder then holds everything; one that was begun goes on.
void explore(const std::string& file, const std::string& path, int jobs) {
  const Study study = load_study(path_of(file, Shipped::kStudy));
  const StudyFolder folder(path, study, simulator_version());
  PointPool pool(folder.study(), jobs > 0 ? jobs : default_jobs());
  while (true) {
    const PointResults results = folder.load();
    const OpenWork work = open_work(folder.study(), results);
    if (work.open.empty()) return write_study_results(path, folder.study(), results);
    measure_round(pool, folder, results, work);
  }
}

std::string text_of(const std::string& path) {
  const FoundStudy found = find_study(path);
  return study_text(found.study, StudyFolder(path, found.study, found.version).load());
}

}  // namespace

void bind_study(py::module_& core) {
  core.def("explore", &explore, py::arg("file"), py::arg("folder"), py::arg("jobs"), Unlocked());
  core.def("study_text", &text_of, py::arg("folder"), Unlocked());
  core.def("study_hardware", [](const std::string& folder, std::int64_t point) {
    return hardware_text_of(find_study(folder).study, point);
  });
}

}  // namespace tilewright
