// What the queue model has predicted of programs, so that none is predicted twice while a network is planned.
#pragma once

#include <cstdint>
#include <limits>
#include <map>

#include "planner/estimate/queue_model/queue_transport.h"
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
  // Of one of many programs that a search compares: routers hold whatever waits.
  Cost rough_cost(const Program& program) { return known_in(rough_, program, RouterBuffers::kUnlimited, kAny).cost; }
  Cost cost(const Program& program) { return known_in(known_, program, RouterBuffers::kLimited, kAny).cost; }
  double cycles(const Program& program) { return static_cast<double>(cost(program).cycles); }
  // The same where it is no more than `most`; else something above that. A program is given up beyond it.
  double cycles_up_to(double most, const Program& program);
  double rough_cycles_up_to(double most, const Program& program);  // by rough_cost()
  // cycles() where rough_cost() is less than `limit`, which it seldom is where that is not; else the cycles of
  // rough_cost(), or something above `most`, at least `limit`, if they are above it.
  double cycles_below(double limit, double most, const Program& program);

 private:
  static constexpr double kAny = std::numeric_limits<double>::infinity();
  struct Known {
    Cost cost;
    bool finished = false;
    double above = 0;  // else core clocks that the program takes more than
  };
  using Costs = std::map<std::uint64_t, Known>;  // by the program's hash
  const Known& known_in(Costs& costs, const Program& program, RouterBuffers buffers, double most) const;
  double up_to(Costs& costs, double most, const Program& program, RouterBuffers buffers) const;

  const Hardware& hardware_;
  Costs rough_, known_;
};

}  // namespace tilewright
