#include "planner/search/study/study_figure.h"

#include <array>

#include "sim/base/error.h"
#include "sim/base/text_list.h"

namespace tilewright {
namespace {

constexpr std::array<StudyFigureInfo, kStudyFigureCount> kFigures{
    {{StudyFigure::kLatency, "latency", "latency_us", true},
     {StudyFigure::kEnergy, "energy", "energy_uj", true},
     {StudyFigure::kEdp, "edp", "edp_nj_s", true},
     {StudyFigure::kArea, "area", "area_mm2", false},
     {StudyFigure::kCost, "cost", "cost", false},
     {StudyFigure::kMultiplyAdds, "", "multiply_adds_per_cycle", false},
     {StudyFigure::kOnChip, "", "on_chip_kib", false},
     {StudyFigure::kDramPeak, "", "dram_peak_gb_per_s", false}}};

// All of one kind of name, as messages list them.
std::string listed(std::string_view StudyFigureInfo::*name) {
  std::string names;
  for (const StudyFigureInfo& info : kFigures)
    if (!(info.*name).empty()) append_item(names, "|", info.*name);
  return names;
}

std::optional<StudyFigure> found(std::string_view StudyFigureInfo::*name, std::string_view text) {
  for (const StudyFigureInfo& info : kFigures)
    if (!text.empty() && info.*name == text) return info.figure;
  return std::nullopt;
}

}  // namespace

const StudyFigureInfo& info_of(StudyFigure figure) {
  const StudyFigureInfo& info = kFigures.at(static_cast<std::size_t>(figure));
  SIM_CHECK(info.figure == figure, "figure {} stands in the wrong row", info.key);
  return info;
}

std::optional<StudyFigure> parse_objective_name(std::string_view name) {
  return found(&StudyFigureInfo::objective, name);
}
std::optional<StudyFigure> parse_figure_key(std::string_view key) { return found(&StudyFigureInfo::key, key); }
std::string objective_names() { return listed(&StudyFigureInfo::objective); }
std::string figure_keys() { return listed(&StudyFigureInfo::key); }

}  // namespace tilewright
