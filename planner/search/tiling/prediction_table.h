// What the queue model has predicted of programs, so that none is predicted twice while a network is planned.
#pragma once

#include <cstdint>
#include <map>

#include "planner/measure/measure.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

class PredictionTable {
 public:
  // `hardware` outlives it.
  explicit PredictionTable(const Hardware& hardware) : hardware_(hardware) {}
  PredictionTable(const PredictionTable&) = delete;
  PredictionTable& operator=(const PredictionTable&) = delete;

  const Hardware& hardware() const { return hardware_; }
  const Cost& cost(const Program& program);
  double cycles(const Program& program) { return static_cast<double>(cost(program).cycles); }

 private:
  const Hardware& hardware_;
  std::map<std::uint64_t, Cost> known_;  // by the program's hash
};

}  // namespace tilewright
