// What moving a tensor takes, from the operator that writes it to the last one that reads it: in cluster memory, and in
// DRAM instead. A prediction.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Core clocks, summed over the operators that write and read it, each as long as its slowest cluster or core.
struct StoreTime {
  double dram = 0, cluster = 0;
};

// `storage` has its pieces in clusters; addresses do not matter. Needs splits, and tilings of products that read it.
StoreTime store_time(const Plan& plan, TensorId storage);

}  // namespace tilewright
