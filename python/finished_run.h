// A run and what it ran on: all that its files are made of.
#pragma once

#include <memory>

#include "cli/simulate.h"

namespace tilewright {

struct FinishedRun {
  Simulated simulated;
  Hardware hardware;
  Program program;
  std::shared_ptr<const Plan> plan;  // none: a program from a text

  ResultFiles files(bool with_program) const {
    return result_files(simulated, hardware, with_program ? &program : nullptr);
  }
};

}  // namespace tilewright
