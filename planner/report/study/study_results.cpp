#include "planner/report/study/study_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "planner/report/run/quantities.h"
#include "planner/report/study/study_json.h"
#include "planner/search/study/study_points.h"
#include "sim/base/csv.h"
#include "sim/base/shell_text.h"
#include "sim/base/text_file.h"

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t count_of(const PointResults& results, PointStatus status) {
  return std::count_if(results.begin(), results.end(),
                       [&](const auto& entry) { return entry.second.status == status; });
}

bool is_candidate(const Study& study, const PointResult& result) {
  return result.status == PointStatus::kMeasured && result.workloads.size() == study.workloads.size();
}

// Names of all varied keys, in the order of the parameters, each once.
std::vector<std::string> varied_keys(const Study& study) {
  std::vector<std::string> keys;
  for (const StudyParameter& parameter : study.parameters)
    for (const std::string& key : parameter.keys)
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  return keys;
}

std::map<std::string, std::string> values_of(const Study& study, std::int64_t point) {
  std::map<std::string, std::string> values;
  for (const Setting& setting : settings_of(study, point)) values[setting.key] = setting.value;
  return values;
}

std::string csv_head(const Study& study) {
  std::string line = "point,status,pareto";
  for (const std::string& key : varied_keys(study)) line += fmt::format(",{}", csv_field(key));
  for (int i = 0; i < kStudyFigureCount; ++i) line += fmt::format(",{}", info_of(static_cast<StudyFigure>(i)).key);
  for (const StudyWorkload& workload : study.workloads)
    line += fmt::format(",{},{}", csv_field(workload.name + ".cycles"), csv_field(workload.name + ".energy_pj"));
  return line + ",reason\n";
}

std::string csv_row(const Study& study, const PointResult& result, bool pareto) {
  std::string line = fmt::format("{},{},{}", result.point, name_of(result.status), pareto ? "yes" : "no");
  const std::map<std::string, std::string> values = values_of(study, result.point);
  for (const std::string& key : varied_keys(study)) line += fmt::format(",{}", csv_field(values.at(key)));
  for (int i = 0; i < kStudyFigureCount; ++i) {
    const std::optional<double> value = final_figure_of(study, result, static_cast<StudyFigure>(i));
    line += value ? fmt::format(",{}", *value) : ",";
  }
  for (std::size_t i = 0; i < study.workloads.size(); ++i)
    line += i < result.workloads.size()
                ? fmt::format(",{},{}", result.workloads[i].cycles, result.workloads[i].energy_pj)
                : ",,";
  return fmt::format("{},{}\n", line, csv_field(result.reason));
}

Json head_json(const Study& study, const PointResults& results, const std::vector<std::int64_t>& pareto) {
  Json count;
  for (const PointStatus status : kPointStatuses) count[std::string(name_of(status))] = count_of(results, status);
  return {{"schema_version", kStudySchemaVersion}, {"identity", identity_of(study)}, {"study", to_json(study)},
          {"grid_points", grid_size(study)},       {"points_by_status", count},      {"pareto", pareto}};
}

std::string hardware_name(std::int64_t point) { return fmt::format("point_{}.yaml", point); }

std::string language_options(const StudyWorkload& workload) {
  if (!is_language_config(workload.file)) return "";
  const LanguageRun& run = workload.language;
  return fmt::format(" --phase {} --context {} --new {}", name_of(run.phase), run.context, run.new_tokens);
}

std::string dimension_options(const StudyWorkload& workload) {
  std::string options;
  for (const auto& [name, value] : workload.dimensions)
    options += fmt::format(" --dim {}", shell_word(fmt::format("{}={}", name, value)));
  return options;
}

}  // namespace

std::vector<std::int64_t> pareto_points(const Study& study, const PointResults& results) {
  std::vector<std::int64_t> points, best;
  std::vector<Figures> objectives;
  for (const auto& [point, result] : results)
    if (is_candidate(study, result)) {
      points.push_back(point);
      objectives.push_back(objectives_of(study, result));
    }
  const std::vector<int> fronts = front_of(objectives);
  for (std::size_t i = 0; i < points.size(); ++i)
    if (fronts[i] == 0) best.push_back(points[i]);
  return best;
}

std::vector<std::string> commands_of(const Study& study, std::int64_t point) {
  std::vector<std::string> commands{fmt::format("tilewright explore {} --point {} --write-hardware {}",
                                                shell_word(study.file), point, hardware_name(point))};
  for (const StudyWorkload& workload : study.workloads)
    commands.push_back(fmt::format("tilewright run {} {} --type {} --batch {}{}{}{}", hardware_name(point),
                                   shell_word(workload.file), name_of(workload.type), workload.batch,
                                   dimension_options(workload), language_options(workload),
                                   run_options_of(planner_of(study, workload))));
  return commands;
}

ResultFiles study_results(const Study& study, const PointResults& results) {
  const std::vector<std::int64_t> pareto = pareto_points(study, results);
  Json json = head_json(study, results, pareto), list = Json::array();
  std::string csv = csv_head(study);
  for (const auto& [point, result] : results) {
    const bool is_pareto = std::binary_search(pareto.begin(), pareto.end(), point);
    Json entry = to_json(study, result);
    check_quantities(entry.at("figures"), fmt::format("points.{}.figures", point));
    check_quantities(entry.at("workloads"), fmt::format("points.{}.workloads", point));
    entry["pareto"] = is_pareto;
    entry["commands"] = commands_of(study, point);
    list.push_back(std::move(entry));
    csv += csv_row(study, result, is_pareto);
  }
  json["points"] = std::move(list);
  return {{"results.json", json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"}, {"results.csv", csv}};
}

void write_study_results(const std::string& folder, const Study& study, const PointResults& results) {
  for (const auto& [name, content] : study_results(study, results)) write_text_file(folder + "/" + name, content);
}

std::string study_text(const Study& study, const PointResults& results) {
  const std::vector<std::int64_t> pareto = pareto_points(study, results);
  std::string text = fmt::format("{}: {} points", study.name, results.size());
  for (const PointStatus status : kPointStatuses)
    text += fmt::format(", {} {}", count_of(results, status), name_of(status));
  text += fmt::format("; {} on the Pareto front\n\n{:>8}", pareto.size(), "point");
  for (const StudyFigure figure : study.objectives) text += fmt::format("  {:>14}", info_of(figure).key);
  text += "  parameters\n";
  for (const std::int64_t point : pareto) {
    text += fmt::format("{:>8}", point);
    for (const double value : objectives_of(study, results.at(point))) text += fmt::format("  {:>14.3f}", value);
    for (const auto& setting : settings_of(study, point)) text += fmt::format("  {}={}", setting.key, setting.value);
    text += "\n";
  }
  return text + "\n";
}

}  // namespace tilewright
