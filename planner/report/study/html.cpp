#include "planner/report/study/html.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "planner/report/run/report.h"
#include "planner/report/run/timeline.h"
#include "planner/report/study/study_json.h"
#include "sim/base/error.h"
#include "sim/base/file_kind.h"
#include "sim/base/json_levels.h"
#include "sim/base/text_file.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/hw/timing/area.h"

namespace tilewright {

// The page of `tilewright report`, kept as page/dist/page.html: one HTML text that loads nothing, with /*DATA*/ where
// its data go.
extern const char* const kHtmlPage;

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

Json read_results(const fs::path& path, int schema_version) {
  const Json json = Json::parse(read_json_text(path.string()), nullptr, false);
  if (!json.is_object() || !json.contains("schema_version"))
    throw UserError(path.string(), "this is no result of tilewright");
  if (json["schema_version"] != schema_version)
    throw UserError(path.string(), fmt::format("schema version {}, this program reads {}",
                                               json["schema_version"].dump(), schema_version));
  return json;
}

// The roofs of the chip.
Json chip_json(const fs::path& path) {
  const Hardware hardware = load_hardware(path.string());
  const auto cells = static_cast<double>(multiply_adds_per_cycle(hardware));
  return {{"peak_macs_per_second", cells * hardware.core_clock.megahertz() * 1e6},
          {"peak_bytes_per_second", hardware.dram.peak_bytes_per_second()}};
}

Json timeline_json(const fs::path& path) {
  const Timeline timeline = aggregate(read_timeline(read_text_file(path.string()), path.string()));
  Json bars = Json::array();
  for (const TimelineBar& bar : timeline.bars)
    bars.push_back({bar.lane, bar.begin, bar.end, bar.name, bar.op, bar.busy});
  return {{"lanes", timeline.lanes},  {"names", timeline.names}, {"operators", timeline.operators},
          {"time_ps", timeline.time}, {"spans", timeline.spans}, {"aggregated", timeline.aggregated},
          {"bars", std::move(bars)}};
}

Json run_json(const fs::path& folder) {
  Json run{{"summary", read_results(folder / "summary.json", kSummarySchemaVersion)},
           {"chip", chip_json(folder / "hardware.yaml")}};
  if (is_there(folder / "trace.json")) run["timeline"] = timeline_json(folder / "trace.json");
  return run;
}

// The text at `key`, which a file of ours holds.
std::string text_at(const Json& json, const char* key, const fs::path& path) {
  if (!json.is_object() || !json.contains(key) || !json[key].is_string())
    throw UserError(path.string(), fmt::format("is damaged: '{}' is missing or no text", key));
  return json[key].get<std::string>();
}

std::string title_of_study(const Json& results, const fs::path& path) {
  return "study " + text_at(results.value("study", Json::object()), "name", path);
}

std::string title_of_run(const Json& summary, const fs::path& path) {
  return fmt::format("{} on {}", text_at(summary, "workload", path), text_at(summary, "hardware", path));
}

// Adds what the folder holds to the page, and to its title.
void add_folder(const fs::path& folder, Json& data, std::vector<std::string>& titles) {
  if (!is_folder(folder)) throw UserError(folder.string(), "there is no such folder");
  if (is_there(folder / "results.json")) {
    data["studies"].push_back(read_results(folder / "results.json", kStudySchemaVersion));
    titles.push_back(title_of_study(data["studies"].back(), folder / "results.json"));
  } else if (is_there(folder / "summary.json")) {
    data["runs"].push_back(run_json(folder));
    titles.push_back(title_of_run(data["runs"].back().at("summary"), folder / "summary.json"));
  } else if (is_there(folder / "study.json")) {
    throw UserError(folder.string(),
                    "this study has no results.json yet; finish it, or collect it with 'tilewright merge'");
  } else {
    throw UserError(folder.string(), "holds neither summary.json (of a run) nor results.json (of a study)");
  }
}

// Inside a script element no text may end it.
std::string script_text(const Json& data) {
  std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3) text.insert(at + 1, "\\");
  for (std::size_t at = 0; (at = text.find("<!--", at)) != std::string::npos; at += 9) text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace

std::string html_report(const std::vector<std::string>& folders) {
  Json data{{"title", ""}, {"subtitle", "Tilewright: figures as simulated; bounds are named so."}};
  data["studies"] = Json::array();
  data["runs"] = Json::array();
  std::vector<std::string> titles;
  for (const std::string& folder : folders) add_folder(folder, data, titles);
  data["title"] = fmt::format("{}", fmt::join(titles, ", "));
  std::string page = kHtmlPage;
  constexpr std::string_view kPlace = "/*DATA*/";
  return page.replace(page.find(kPlace), kPlace.size(), script_text(data));
}

}  // namespace tilewright
