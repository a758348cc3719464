// A design-space study as a value: a base chip, the keys of its hardware file that vary, the workloads every chip runs
// and the figures to minimise. A point of the space is a number: parameters are its digits, the last one fastest.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/constants/constants.h"
#include "planner/import/language/language_model.h"
#include "planner/search/study/study_planner.h"
#include "sim/base/data_type.h"
#include "sim/hw/config/hardware.h"

namespace tilewright {

// The figures of a chip and its runs that a study can make small or limit.
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

// One axis: in row i every key takes its value of that row.
struct StudyParameter {
  std::vector<std::string> keys;               // of the hardware file, e.g. "core.matmul.rows"
  std::vector<std::vector<std::string>> rows;  // a value per key, as YAML on one line; "~" takes the key out
  bool operator==(const StudyParameter&) const = default;
};

struct StudyConstraint {
  StudyFigure figure = StudyFigure::kArea;
  std::optional<double> at_least, at_most;
  bool operator==(const StudyConstraint&) const = default;
};

struct StudyWorkload {
  std::string name;  // as results call it
  std::string file;  // as the current folder sees it
  std::string hash;  // of the file's bytes
  double weight = 1;
  DataType type = DataType::kBf16;
  std::int64_t batch = 1;
  std::map<std::string, std::int64_t> dimensions{};  // that an ONNX model names
  LanguageRun language{};                            // of a language model's configuration: phase, context, new tokens
  std::optional<StudyPlanner> planner{};             // in place of the study's
  bool operator==(const StudyWorkload&) const = default;
};

enum class StudyMethod : std::uint8_t { kGrid, kRandom, kHalving };

struct Study {
  std::string name;
  std::string file;           // as the user named it
  std::string hardware_file;  // the base, as the current folder sees it
  std::string hardware_text;  // its content, comments left out
  std::vector<StudyParameter> parameters;
  std::vector<StudyConstraint> constraints;
  std::vector<StudyWorkload> workloads;
  std::vector<StudyFigure> objectives;  // all to be minimised
  StudyPlanner planner;
  StudyMethod method = StudyMethod::kGrid;
  std::int64_t sample = 0;  // random, halving: points drawn; 0: all
  std::uint64_t seed = 1;
  double keep = constants().study_keep;  // halving: share of the points that enter the next round
  bool operator==(const Study&) const = default;
};

std::string_view name_of(StudyMethod method);  // as in a study file

const StudyPlanner& planner_of(const Study& study, const StudyWorkload& workload);

// Points of the full grid.
std::int64_t grid_size(const Study& study);

struct Setting {
  std::string key, value;
};
// What a point changes, in the order of the parameters: a later one overrides an earlier one.
std::vector<Setting> settings_of(const Study& study, std::int64_t point);

// A hardware file with some keys set or taken out; comments are lost.
std::string apply_settings(const std::string& hardware_text, const std::vector<Setting>& settings);

// The hardware file of a point, called "STUDY_POINT" as a chip.
std::string hardware_text_of(const Study& study, std::int64_t point);
// UserError for a chip that cannot be built; its lines are those of hardware_text_of().
Hardware hardware_of(const Study& study, std::int64_t point);

}  // namespace tilewright
