// Predictions of how long an order takes, without simulating it. Both know T1, the time to read instructions and move
// data at a core's share of the bandwidth (bandwidth.h, all cores at work), and T2, the time to compute; both ignore
// latency and when cores really compete.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Sums over the instructions of the busiest core, core clocks. The same for every order.
struct TimeSums {
  double read = 0;     // T1: loads, stores and the instructions themselves
  double compute = 0;  // T2: both units
};
TimeSums time_sums(const Plan& linked);

// Over the instruction stream: the streams of every core run in order at T1 and T2 and wait only for tokens, flags and
// barriers. Core clocks from launch to the last completion.
double stream_estimate(const Plan& linked);

// Over the order alone: each operator occupies the load, store, matmul and vector units of a core for its own T1 and
// T2, one operator at a time on each unit, after the operators whose results it reads.
double order_estimate(const Plan& linked);

}  // namespace tilewright
