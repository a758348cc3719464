#include "planner/report/study/study_folder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "planner/report/study/study_json.h"
#include "sim/base/error.h"
#include "sim/base/file_kind.h"
#include "sim/base/hash.h"
#include "sim/base/json_levels.h"
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
  const std::string text = read_json_text(path.string());
  try {
    return Json::parse(text);
  } catch (const Json::exception&) {
    throw UserError(path.string(), "is damaged: no JSON");
  }
}

// Runs `read`; what JSON misses becomes the user's error.
template <typename Read>
auto or_damaged(const fs::path& path, Read read) {
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

std::string checksum_of(const Json& json) { return fmt::format("{:016x}", fnv1a(as_text(json))); }

Json with_checksum(Json json) {
  json["checksum"] = checksum_of(json);
  return json;
}

// The file of a point or a study without its checksum. UserError when the two do not agree.
Json checked_json(const fs::path& path) {
  Json json = read_json(path);
  const Json checksum = json.is_object() ? json.value("checksum", Json()) : Json();
  if (json.is_object()) json.erase("checksum");
  if (checksum != checksum_of(json))
    throw UserError(path.string(), "is damaged or was changed: it does not match its checksum");
  return json;
}

PointResult read_point(const fs::path& path, const std::string& identity) {
  return or_damaged(path, [&] {
    const Json json = checked_json(path);
    if (json.at("study") != identity)
      throw UserError(path.string(), "is a point of another study; take it away, its point is then measured here");
    PointResult result = point_from_json(json);
    if (path.filename() != point_file("", result.point).filename())
      throw UserError(path.string(), fmt::format("holds point {}", result.point));
    return result;
  });
}

std::vector<fs::path> point_files(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!is_there(folder / "points")) return files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "points"))
    if (is_point_file(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// What two files say of the same point: the same, as far as both have measured.
bool agree(const Study& study, PointResult a, PointResult b) {
  const std::size_t both = std::min(a.workloads.size(), b.workloads.size());
  if (a.workloads.size() != b.workloads.size()) a.status = b.status, a.reason = b.reason;
  a.workloads.resize(both), b.workloads.resize(both);
  return to_json(study, a) == to_json(study, b);
}

// Whether `result` takes the place of `kept`.
bool prevails(const Study& study, const PointResult& result, const PointResult& kept, const fs::path& file,
              const fs::path& kept_file) {
  const bool failed = result.status == PointStatus::kFailed, kept_failed = kept.status == PointStatus::kFailed;
  if (failed || kept_failed) return kept_failed && !failed;
  if (!agree(study, result, kept))
    throw UserError(file.string(),
                    fmt::format("and {} give point {} different figures", kept_file.string(), kept.point));
  return kept.workloads.size() < result.workloads.size();
}

}  // namespace

StudyFolder::StudyFolder(std::string path, const Study& study, std::string version)
    : found_{std::move(path), std::move(version), study}, identity_(identity_of(study)) {
  const std::string& folder = found_.path;
  if (is_there(study_file(folder))) {
    FoundStudy there = find_study(folder);
    check_same(there, identity_, found_.version);
    found_ = std::move(there);
    return;
  }
  if (is_there(folder) && !is_folder(folder)) throw UserError(folder, "is a file, where a folder should be");
  if (is_there(folder)) check_no_others(folder);
  const Json json{{"schema_version", kStudySchemaVersion},
                  {"simulator", found_.version},
                  {"identity", identity_},
                  {"study", to_json(study)}};
  write_text_file(study_file(folder).string(), as_text(with_checksum(json)));
}

PointResults StudyFolder::load() const { return load_points({found_}); }

std::vector<std::string> StudyFolder::drop_damaged() const {
  std::vector<std::string> faults;
  for (const fs::path& file : point_files(found_.path)) {
    try {
      checked_json(file);
    } catch (const UserError& error) {
      faults.emplace_back(error.what());
      fs::remove(file);
    }
  }
  return faults;
}

void StudyFolder::drop(PointStatus status) const {
  for (const auto& [point, result] : load())
    if (result.status == status) fs::remove(point_file(found_.path, point));
}

void StudyFolder::save(const PointResult& result) const {
  Json json{{"schema_version", kStudySchemaVersion}, {"study", identity_}};
  json.update(to_json(found_.study, result));
  write_text_file(point_file(found_.path, result.point).string(), as_text(with_checksum(json)));
}

FoundStudy find_study(const std::string& path) {
  const fs::path file = study_file(path);
  if (!is_file(file)) throw UserError(path, "is no folder of a study: there is no study.json");
  return or_damaged(file, [&] {
    const Json json = read_json(file);
    if (json.at("schema_version") != kStudySchemaVersion)
      throw UserError(file.string(), fmt::format("has schema version {}, this program reads {}",
                                                 json.at("schema_version").dump(), kStudySchemaVersion));
    checked_json(file);
    return FoundStudy{path, json.at("simulator"), study_from_json(json.at("study"))};
  });
}

PointResults load_points(const std::vector<FoundStudy>& folders) {
  const std::string identity = identity_of(folders.front().study);
  PointResults results;
  std::map<std::int64_t, fs::path> files;
  for (const FoundStudy& folder : folders) {
    check_same(folder, identity, folders.front().version);
    for (const fs::path& file : point_files(folder.path)) {
      PointResult result = read_point(file, identity);
      const auto [kept, fresh] = results.try_emplace(result.point, result);
      if (fresh)
        files[result.point] = file;
      else if (prevails(folder.study, result, kept->second, file, files[result.point]))
        files[result.point] = file, kept->second = std::move(result);
    }
  }
  return results;
}

}  // namespace tilewright
