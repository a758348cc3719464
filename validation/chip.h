// Whole chips beside ONNXim: products, convolutions and networks on its chips of 128 x 128 and of 8 x 8 arrays, with
// its simple interconnect and with BookSim.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "sim/base/csv.h"
#include "sim/session.h"
#include "validation/report.h"

namespace tilewright {

class OnnximRuns {
 public:
  // Makes a session for every configuration that the table at `csv_path` names: before any session of the process runs.
  // `hardware` holds our chips, `traces` the networks.
  OnnximRuns(const std::string& csv_path, const std::string& hardware, std::string traces);

  // Every row. Judged: with ONNXim's tiles, cores and reads within 10 % of its cycles; as we plan it, never slower, or
  // at most 5 % slower where ONNXim's reads do not cover its operands. Shown: convolutions with a stride and ONNXim's
  // tiles that read every pixel (docs/validation.md). A row that cannot run is left out.
  ValidationReport compare();

 private:
  void compare(const CsvRow& row, ValidationReport& report);

  std::string traces_;
  std::vector<CsvRow> rows_;
  std::map<std::string, std::unique_ptr<Session>> sessions_;  // by configuration
};

}  // namespace tilewright
