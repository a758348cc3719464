// Times orders of the parts of a network: each is planned, linked and run on the simulated chip, or predicted, by
// worker processes.
//
// Times come from the simulated chip and predictions from the queue model; or, where nothing is to be simulated, times
// from the queue model and predictions from T1 and T2 over the instruction stream.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "planner/search/order/network_part.h"
#include "planner/search/order/order_candidates.h"
#include "sim/base/units.h"

namespace tilewright {

enum class TimedBy : std::uint8_t { kSimulation, kQueueModel };

struct OrderTime {
  Cycles cycles = 0;                // core clocks, launch to last completion; by the queue model: a prediction
  double queue_model_estimate = 0;  // predictions, core clocks: planner/estimate/queue_model/queue_model.h
  double stream_estimate = 0;       // and planner/estimate/program_time.h
  double order_estimate = 0;
  Bytes peak_memory = 0;   // DRAM that tensors need at once
  Bytes memory_taken = 0;  // DRAM that they lie in
  std::uint64_t program_hash = 0;
  std::vector<Cycles> ends;  // by node: launch to the last completion of its operator
  std::string rejected;      // why the chip cannot run it; then nothing else is set
  bool ok() const { return rejected.empty(); }
};
inline bool is_below(const OrderTime& time, Cycles limit) { return time.ok() && time.cycles < limit; }

struct OrderQuery {
  int part = 0;
  NodeOrder order;
  bool with_estimates = true;  // else they are 0
};

class OrderTimer {
 public:
  // `parts` must outlive the timer; it is handed to the workers when they start.
  OrderTimer(const std::vector<SchedulePart>& parts, int workers, TimedBy by = TimedBy::kSimulation);
  ~OrderTimer();

  // In the order of the queries. A program that a worker has run before is not run again.
  std::vector<OrderTime> time(const std::vector<OrderQuery>& queries);

  // Predictions alone, of one part; of orders that the chip has no room for the bytes they need.
  std::vector<OrderPromise> predict(int part, const std::vector<NodeOrder>& orders);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tilewright
