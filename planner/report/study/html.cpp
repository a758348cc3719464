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
#include "sim/base/text_file.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {

// The page of `tilewright report`, kept as page/dist/page.html: one HTML text that loads nothing, with /*DATA*/ where
// its data go.
extern const char* const kHtmlPage;

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

Json read_results(const fs::path& path, int schema_version) {
  const Json json = Json::parse(read_text_file(path.string()), nullptr, false);
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
  const MatmulSpec& matmul = hardware.core.matmul;
  const double cells = static_cast<double>(matmul.rows) * matmul.columns * matmul.arrays * hardware.cores();
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

void add_folder(Json& data, const fs::path& folder) {
  if (!is_folder(folder)) throw UserError(folder.string(), "there is no such folder");
  if (is_there(folder / "results.json"))
    data["studies"].push_back(read_results(folder / "results.json", kStudySchemaVersion));
  else if (is_there(folder / "summary.json"))
    data["runs"].push_back(run_json(folder));
  else if (is_there(folder / "study.json"))
    throw UserError(folder.string(),
                    "this study has no results.json yet; finish it, or collect it with 'tilewright merge'");
  else
    throw UserError(folder.string(), "holds neither summary.json (of a run) nor results.json (of a study)");
}

std::string title_of(const Json& data) {
  std::vector<std::string> parts;
  for (const Json& results : data["studies"])
    parts.push_back("study " + results.at("study").at("name").get<std::string>());
  for (const Json& run : data["runs"])
    parts.push_back(fmt::format("{} on {}", run.at("summary").at("workload").get<std::string>(),
                                run.at("summary").at("hardware").get<std::string>()));
  return fmt::format("{}", fmt::join(parts, ", "));
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
  for (const std::string& folder : folders) add_folder(data, folder);
  data["title"] = title_of(data);
  std::string page = kHtmlPage;
  constexpr std::string_view kPlace = "/*DATA*/";
  return page.replace(page.find(kPlace), kPlace.size(), script_text(data));
}

}  // namespace tilewright
