// The rows of the matmul unit once more, as instructions on the real unit of a chip.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/csv.h"
#include "sim/session.h"
#include "validation/report.h"

namespace tilewright {

class MatmulSessionRuns {
 public:
  // Makes a session for each array of SCALE-Sim's table and one of `gemmini`: before any session of the process runs.
  MatmulSessionRuns(const std::string& scale_sim_csv, const std::string& gemmini_csv, const Hardware& gemmini);

  // Cycles in which the unit's pipe held work, judged as array_time() is.
  void compare(ValidationReport& report);

 private:
  struct Run {
    std::string group, name;
    double reference = 0, band = 0;
    Program program;
    std::shared_ptr<Session> session;
  };

  void prepare_scale_sim(const CsvRow& row);
  void prepare_gemmini(const CsvRow& row, const std::shared_ptr<Session>& session);

  std::map<std::string, std::shared_ptr<Session>> arrays_;  // by chip
  std::vector<Run> runs_;
  ValidationReport prepared_;  // what could not be
};

}  // namespace tilewright
