// The figures of a chip and its runs that a study can make small or limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

enum class StudyFigure : std::uint8_t {
  kLatency,  // sum over the workloads of weight x time
  kEnergy,   // sum over the workloads of weight x energy
  kEdp,      // their product
  kArea,     // sim/hw/timing/area.h
  kCost,
  kMultiplyAdds,  // of all arrays, per core clock
  kOnChip,        // buffers and cluster memories
  kDramPeak,
};
inline constexpr int kStudyFigureCount = 8;

struct StudyFigureInfo {
  StudyFigure figure;
  std::string_view objective;  // its name as an objective; empty when it is none
  std::string_view key;        // its name in results and constraints, with the unit
  bool measured;               // needs runs, not only the chip
};
const StudyFigureInfo& info_of(StudyFigure figure);

std::optional<StudyFigure> parse_objective_name(std::string_view name);
std::optional<StudyFigure> parse_figure_key(std::string_view key);
// "latency|energy|edp|area|cost" and all keys, for messages.
std::string objective_names();
std::string figure_keys();

}  // namespace tilewright
