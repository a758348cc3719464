// The folder of a study: study.json says whose it is, points/000017.json holds one point each, written as a whole or
// not at all, with a checksum (FNV-1a) of what it says. Whoever works on the same study may add points at the same
// time.
#pragma once

#include <string>
#include <vector>

#include "planner/search/study/study_points.h"

namespace tilewright {

// A folder as it is found.
struct FoundStudy {
  std::string path, version;  // version: of the simulator
  Study study;
};
// UserError when it is none.
FoundStudy find_study(const std::string& path);

class StudyFolder {
 public:
  // Makes the folder or joins it. UserError when it holds another study, results of another simulator (`version`), or
  // files that are no study's.
  StudyFolder(std::string path, const Study& study, std::string version);

  // What was measured so far. UserError for a point that is damaged or another study's.
  PointResults load() const;
  // Deletes the files of points that are damaged, so that these are measured again; what was wrong with each.
  std::vector<std::string> drop_damaged() const;
  // Deletes the points of a status.
  void drop(PointStatus status) const;
  void save(const PointResult& result) const;
  const std::string& path() const { return found_.path; }
  // As whoever made the folder named its file.
  const Study& study() const { return found_.study; }

 private:
  FoundStudy found_;
  std::string identity_;
};

// All points of several folders of one study, measured by one version. The rounds of a halving may have left different
// workloads of a point in different folders: the file with more counts, and a measured point before a failed one. In
// whatever else two folders say of a point they must agree: UserError naming both files when they do not.
PointResults load_points(const std::vector<FoundStudy>& folders);

}  // namespace tilewright
