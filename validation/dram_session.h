// The streams of the DRAM comparison once more, as a chip makes them: programs of the DMA engine on a Session.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/session.h"
#include "validation/dram.h"

namespace tilewright {

// The chip of one row: a core whose loads of `burst`-long requests go over a network without routers to one channel of
// the row's memory; its instructions lie in a channel of their own. `train`: bursts of one request. As many bursts are
// under way as the rate says.
Hardware dram_session_chip(const DramReferenceRow& row, int train);
// The loads of the row's pattern. UserError for a row that the DMA engine cannot make: a fixed rate, or reads and
// writes in a fixed order.
Program dram_session_program(const DramReferenceRow& row, const Hardware& chip, int requests);

class DramSessionRuns {
 public:
  // Makes a session for each row that can run: before any session of the process runs. `requests`: bursts of a stream.
  explicit DramSessionRuns(const std::string& csv_path, int requests = 131072);

  // Runs every row with single bursts and with requests of eight, and adds the rows and what could not run. Single
  // bursts are judged as on the controller alone; what longer requests change is shown.
  void compare(ValidationReport& report);

 private:
  struct Run {
    DramReferenceRow row;
    int train = 1;
    Program program;
    std::unique_ptr<Session> session;
  };

  void prepare(const DramReferenceRow& row, int requests);

  std::vector<Run> runs_;
  ValidationReport prepared_;  // what could not be
};

}  // namespace tilewright
