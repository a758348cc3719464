#include "planner/search/study/study_result.h"

#include <utility>

#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/hw/timing/area.h"

namespace tilewright {
namespace {

std::map<StudyFigure, double> chip_figures(const Hardware& hardware) {
  return {{StudyFigure::kArea, area_mm2(hardware)},
          {StudyFigure::kCost, cost_of(hardware)},
          {StudyFigure::kMultiplyAdds, static_cast<double>(multiply_adds_per_cycle(hardware))},
          {StudyFigure::kOnChip, static_cast<double>(on_chip_bytes(hardware)) / 1024},
          {StudyFigure::kDramPeak, hardware.dram.peak_bytes_per_second() / 1e9}};
}

// The first constraint of that kind which does not hold, in words.
std::string violation(const Study& study, const PointResult& result, bool measured) {
  for (const StudyConstraint& limit : study.constraints) {
    const StudyFigureInfo& info = info_of(limit.figure);
    if (info.measured != measured) continue;
    const double value = figure_of(study, result, limit.figure).value_or(0);
    if (limit.at_most && value > *limit.at_most)
      return fmt::format("{} is {:.6g}, allowed are at most {:.6g}", info.key, value, *limit.at_most);
    if (limit.at_least && value < *limit.at_least)
      return fmt::format("{} is {:.6g}, wanted are at least {:.6g}", info.key, value, *limit.at_least);
  }
  return "";
}

void exclude(PointResult& result, std::string reason) {
  if (reason.empty()) return;
  result.status = PointStatus::kExcluded;
  result.reason = std::move(reason);
}

template <typename Value>
double weighted_sum(const Study& study, const PointResult& result, Value value) {
  double sum = 0;
  for (std::size_t i = 0; i < result.workloads.size(); ++i)
    sum += study.workloads.at(i).weight * static_cast<double>(value(result.workloads[i]));
  return sum;
}

double measured_figure(const Study& study, const PointResult& result, StudyFigure figure) {
  const double us = weighted_sum(study, result, [](const WorkloadResult& w) { return w.time; }) / 1e6;
  const double uj = weighted_sum(study, result, [](const WorkloadResult& w) { return w.energy_pj; }) / 1e6;
  if (figure == StudyFigure::kLatency) return us;
  if (figure == StudyFigure::kEnergy) return uj;
  SIM_CHECK(figure == StudyFigure::kEdp, "{} is not measured", info_of(figure).key);
  return us * uj / 1e3;  // us x uJ = pJ s
}

}  // namespace

std::string_view name_of(PointStatus status) {
  switch (status) {
    case PointStatus::kMeasured:
      return "measured";
    case PointStatus::kExcluded:
      return "excluded";
    case PointStatus::kIllegal:
      return "illegal";
    case PointStatus::kFailed:
      return "failed";
  }
  SIM_CHECK(false, "status {} has no name", static_cast<int>(status));
}

StudiedChip study_chip(const Study& study, std::int64_t point) {
  StudiedChip chip;
  PointResult& result = chip.result;
  result.point = point;
  try {
    chip.hardware = hardware_of(study, point);
  } catch (const UserError& error) {
    result.status = PointStatus::kIllegal;
    result.reason = error.what();
    return chip;
  }
  result.fingerprint = fmt::format("{:016x}", fingerprint(*chip.hardware));
  result.chip = chip_figures(*chip.hardware);
  exclude(result, violation(study, result, false));
  if (result.status != PointStatus::kMeasured) chip.hardware.reset();
  return chip;
}

std::optional<double> figure_of(const Study& study, const PointResult& result, StudyFigure figure) {
  if (info_of(figure).measured)
    return result.workloads.empty() ? std::nullopt : std::optional(measured_figure(study, result, figure));
  const auto found = result.chip.find(figure);
  return found == result.chip.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> final_figure_of(const Study& study, const PointResult& result, StudyFigure figure) {
  const bool complete = result.workloads.size() == study.workloads.size();
  return complete || !info_of(figure).measured ? figure_of(study, result, figure) : std::nullopt;
}

std::vector<double> objectives_of(const Study& study, const PointResult& result) {
  std::vector<double> values;
  for (const StudyFigure figure : study.objectives)
    if (const std::optional<double> value = figure_of(study, result, figure)) values.push_back(*value);
  return values.size() == study.objectives.size() ? values : std::vector<double>{};
}

PointResult joined(const Study& study, const PointResult* earlier, PointResult fresh) {
  if (earlier != nullptr)
    fresh.workloads.insert(fresh.workloads.begin(), earlier->workloads.begin(), earlier->workloads.end());
  if (fresh.workloads.size() == study.workloads.size()) exclude(fresh, violation(study, fresh, true));
  return fresh;
}

bool is_done(const PointResult& result, std::size_t workloads) {
  return result.status != PointStatus::kMeasured || result.workloads.size() >= workloads;
}

}  // namespace tilewright
