#include "planner/report/study/study_folder.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "planner/report/study/study_json.h"
#include "sim/base/error.h"
#include "sim/base/text_file.h"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path study_file(const fs::path& folder) { return folder / "study.json"; }
fs::path point_file(const fs::path& folder, std::int64_t point) {
  return folder / "points" / fmt::format("{:06}.json", point);
}

Json read_json(const fs::path& path) {
  try {
    return Json::parse(read_text_file(path.string()));
  } catch (const Json::exception&) {
    throw UserError(path.string(), "is damaged: no JSON; delete it, its point is then measured again");
  }
}

// Runs `read`; what JSON misses becomes the user's error.
template <typename Read>
auto for_user(const fs::path& path, Read read) {
  try {
    return read();
  } catch (const Json::exception&) {
    throw UserError(path.string(), "is no file of a study, or damaged");
  }
}

std::string as_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

void check_same(const FoundStudy& found, const std::string& identity, const std::string& version) {
  if (identity_of(found.study) != identity)
    throw UserError(found.path, fmt::format("holds results of another study ('{}' of {}, or an earlier version of this "
                                            "one, its chip or its workloads); choose another folder",
                                            found.study.name, found.study.file));
  if (found.version != version)
    throw UserError(found.path, fmt::format("holds results of simulator version {}, this is {}; choose another folder",
                                            found.version, version));
}

// Another worker may be about to write the same file.
bool is_temporary(const fs::path& path) { return path.filename().string().front() == '.'; }

void check_no_others(const fs::path& folder) {
  std::set<std::string> others;  // sorted, so that the message is the same on every file system
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (!is_temporary(entry.path())) others.insert(entry.path().filename().string());
  if (!others.empty())
    throw UserError(folder.string(), fmt::format("holds '{}' and no study; choose a folder that is new, empty or this "
                                                 "study's",
                                                 *others.begin()));
}

bool is_point_file(const fs::path& path) { return path.extension() == ".json" && !is_temporary(path); }

PointResult read_point(const fs::path& path, const std::string& identity) {
  return for_user(path, [&] {
    const Json json = read_json(path);
    if (json.at("study") != identity)
      throw UserError(path.string(), "is a point of another study; take it away, its point is then measured here");
    PointResult result = point_from_json(json);
    if (path.filename() != point_file("", result.point).filename())
      throw UserError(path.string(), fmt::format("holds point {}", result.point));
    return result;
  });
}

}  // namespace

StudyFolder::StudyFolder(std::string path, const Study& study, std::string version)
    : found_{std::move(path), std::move(version), study}, identity_(identity_of(study)) {
  const std::string& folder = found_.path;
  if (fs::exists(study_file(folder))) {
    FoundStudy there = find_study(folder);
    check_same(there, identity_, found_.version);
    found_ = std::move(there);
    return;
  }
  if (fs::exists(folder) && !fs::is_directory(folder)) throw UserError(folder, "is a file, where a folder should be");
  if (fs::exists(folder)) check_no_others(folder);
  const Json json{{"schema_version", kStudySchemaVersion},
                  {"simulator", found_.version},
                  {"identity", identity_},
                  {"study", to_json(study)}};
  write_text_file(study_file(folder).string(), as_text(json));
}

PointResults StudyFolder::load() const { return load_points({found_}); }

void StudyFolder::save(const PointResult& result) const {
  Json json{{"schema_version", kStudySchemaVersion}, {"study", identity_}};
  json.update(to_json(found_.study, result));
  write_text_file(point_file(found_.path, result.point).string(), as_text(json));
}

FoundStudy find_study(const std::string& path) {
  const fs::path file = study_file(path);
  if (!fs::is_regular_file(file)) throw UserError(path, "is no folder of a study: there is no study.json");
  return for_user(file, [&] {
    const Json json = read_json(file);
    if (json.at("schema_version") != kStudySchemaVersion)
      throw UserError(file.string(), fmt::format("has schema version {}, this program reads {}",
                                                 json.at("schema_version").dump(), kStudySchemaVersion));
    return FoundStudy{path, json.at("simulator"), study_from_json(json.at("study"))};
  });
}

PointResults load_points(const std::vector<FoundStudy>& folders) {
  const std::string identity = identity_of(folders.front().study);
  PointResults results;
  for (const FoundStudy& folder : folders) {
    check_same(folder, identity, folders.front().version);
    if (!fs::exists(fs::path(folder.path) / "points")) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(folder.path) / "points")) {
      if (!is_point_file(entry.path())) continue;
      PointResult result = read_point(entry.path(), identity);
      PointResult& kept = results.try_emplace(result.point, result).first->second;
      if (kept.workloads.size() < result.workloads.size()) kept = std::move(result);
    }
  }
  return results;
}

}  // namespace tilewright
