// What an operator takes when its neighbours are split in one way or another: a plan without a program in which splits
// are tried and tensors lie where the cores that write them are.
#pragma once

#include <vector>

#include "planner/estimate/region_traffic.h"
#include "planner/passes/allocate/tensor_cuts.h"

namespace tilewright {

// One way to run an operator.
struct SplitOption {
  Split split;
  std::vector<Tiling> tilings;  // of a product or convolution
  double cycles = 0;            // core clocks by itself
  double activations = 0;       // of these, what its activations keep busy between memories
};

using SplitOptions = std::vector<std::vector<SplitOption>>;  // by OperatorId; none: it has no instructions

// Traffic of what the operator of a placed plan reads and writes but for constants, which lie where it reads them.
RegionTraffic activation_traffic(const Plan& plan, OperatorId id);

class LayoutTrial {
 public:
  // The first option of each operator is how `plan`, a finished one, runs it. Keeps a reference to the options. Of the
  // time that activations keep memories busy `exposed` counts, the rest passes behind computing.
  LayoutTrial(const Plan& plan, const SplitOptions& options, double exposed = 1);

  // Runs the operator so: what it writes lies accordingly.
  void choose(OperatorId id, std::size_t option);
  // Predicted core clocks of the operator, run so, with its inputs as they lie.
  double time(OperatorId id, std::size_t option) const;

 private:
  struct Read {
    TensorId tensor;
    std::vector<OperandAccess> accesses;
  };
  // What does not depend on how others are split, and what does.
  struct Moved {
    RegionTraffic own;
    std::vector<Read> reads;
  };
  void place(TensorId tensor);
  Moved moved_by(OperatorId id) const;

  const SplitOptions& options_;
  const double exposed_;
  Plan trial_;
  const TensorCuts cuts_;
  std::vector<std::vector<Moved>> moved_;  // of options_
};

}  // namespace tilewright
