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
  const Cost& rough_cost(const Program& program);
  const Cost& cost(const Program& program);
  double cycles(const Program& program) { return static_cast<double>(cost(program).cycles); }
  // The same where rough_cost() is less than `limit`, which it seldom is where this is not; else the cycles of that.
  double cycles_below(double limit, const Program& program) {
    if (limit == std::numeric_limits<double>::infinity()) return cycles(program);
    const auto rough = static_cast<double>(rough_cost(program).cycles);
    return rough < limit ? cycles(program) : rough;
  }

 private:
  using Costs = std::map<std::uint64_t, Cost>;  // by the program's hash
  const Cost& known_in(Costs& costs, const Program& program, RouterBuffers buffers) const;

  const Hardware& hardware_;
  Costs rough_, known_;
};

}  // namespace tilewright
