// What a study found at one point, small enough to be a file of its own.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "planner/search/study/study.h"
#include "sim/base/units.h"

namespace tilewright {

// One workload as it was measured on the point's chip.
struct WorkloadResult {
  std::string name;
  Cycles cycles = 0;  // core clocks
  Picoseconds time = 0;
  Picoseconds bound = 0;  // roofline
  double energy_pj = 0;   // dynamic and static
  std::int64_t macs = 0;
  double utilisation_percent = 0, dram_peak_percent = 0;
  Bytes dram_read = 0, dram_written = 0;
  // Name and share or figure, in the order of a run's report.
  std::vector<std::pair<std::string, double>> time_percent;     // mean over the cores; adds up to 100
  std::vector<std::pair<std::string, double>> energy_parts_pj;  // adds up to energy_pj
  std::string bottleneck;
};

enum class PointStatus : std::uint8_t {
  kMeasured,
  kExcluded,  // a constraint does not hold
  kIllegal,   // the chip cannot be built, or a workload not planned on it
  kFailed     // the process that measured it died, or reached a limit of time or memory
};
inline constexpr std::array kPointStatuses{PointStatus::kMeasured, PointStatus::kExcluded, PointStatus::kIllegal,
                                           PointStatus::kFailed};
std::string_view name_of(PointStatus status);

struct PointResult {
  std::int64_t point = 0;
  PointStatus status = PointStatus::kMeasured;
  std::string reason;                     // of a point that is not kMeasured
  std::string fingerprint;                // of the chip; empty when it cannot be built
  std::map<StudyFigure, double> chip;     // the figures that need no run; empty when it cannot be built
  std::vector<WorkloadResult> workloads;  // the first ones of the study, as far as they were measured
};

// The chip of a point, its figures and the constraints that need no run.
struct StudiedChip {
  PointResult result;
  std::optional<Hardware> hardware;  // absent unless its workloads are to be measured
};
StudiedChip study_chip(const Study& study, std::int64_t point);

// A figure over the workloads measured so far; nothing without the chip or any run it needs.
std::optional<double> figure_of(const Study& study, const PointResult& result, StudyFigure figure);
// The same as results give it: a figure over all workloads is known once every one is measured.
std::optional<double> final_figure_of(const Study& study, const PointResult& result, StudyFigure figure);
// In the order of the study's objectives; empty when one is missing.
std::vector<double> objectives_of(const Study& study, const PointResult& result);

// `earlier` (absent: nothing was measured before) and the workloads measured since; a constraint that fails once every
// workload is there excludes the point.
PointResult joined(const Study& study, const PointResult* earlier, PointResult fresh);

// Whether nothing more is to be measured at the point when the first `workloads` are wanted.
bool is_done(const PointResult& result, std::size_t workloads);

}  // namespace tilewright
