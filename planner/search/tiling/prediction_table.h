// What the queue model has predicted of programs on a chip, so that none is predicted twice while a network is planned.
// What it says does not depend on what it was asked before.
#pragma once

#include <cstdint>
#include <limits>

#include "planner/measure/measure.h"
#include "planner/search/tiling/predictions.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

class PredictionTable {
 public:
  // `hardware` outlives it, and so does `shared`, if given: predictions of this and other chips, to look up and add to.
  explicit PredictionTable(const Hardware& hardware, Predictions* shared = nullptr);
  PredictionTable(const PredictionTable&) = delete;
  PredictionTable& operator=(const PredictionTable&) = delete;

  const Hardware& hardware() const { return hardware_; }
  Predictions* shared() const { return &known_ == &own_ ? nullptr : &known_; }
  // Of one of many programs that a search compares: routers hold whatever waits.
  Cost rough_cost(const Program& program) { return cost_of(program, RouterBuffers::kUnlimited); }
  Cost cost(const Program& program) { return cost_of(program, RouterBuffers::kLimited); }
  double cycles(const Program& program) { return static_cast<double>(cost(program).cycles); }
  // The same where it is no more than `most`; else something above that. A program is given up beyond it.
  double cycles_up_to(double most, const Program& program);
  double rough_cycles_up_to(double most, const Program& program);  // by rough_cost()
  // cycles() where rough_cost() is less than `limit`, which it seldom is where that is not; else the cycles of
  // rough_cost(), or something above `most`, at least `limit`, if they are above it.
  double cycles_below(double limit, double most, const Program& program);

 private:
  static constexpr double kAny = std::numeric_limits<double>::infinity();
  const Prediction& known_of(const Program& program, RouterBuffers buffers, double most);
  Cost cost_of(const Program& program, RouterBuffers buffers);
  double up_to(double most, const Program& program, RouterBuffers buffers);

  const Hardware& hardware_;
  Predictions own_;
  Predictions& known_;
  const std::uint64_t chip_;
};

}  // namespace tilewright
