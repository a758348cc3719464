// Weights of a convolution that are multiplied with a factor for each of their channels (Attributes::channel_factors)
// on their way: the factors are loaded into buffer A beside them, and the vector unit multiplies what lies there in
// place.
#pragma once

#include <optional>
#include <vector>

#include "planner/emit/area_ring.h"
#include "planner/ir/contraction.h"

namespace tilewright {

class WeightScaling {
 public:
  // `copies` places of `bytes` in buffer A from `base` on, each for the factors of as many channels as are loaded at a
  // time.
  struct Places {
    Address base = 0;
    Bytes bytes = 0;
    int copies = 1;
  };
  // All of them outlive it. `cached`: whether the cluster's cache keeps the factors.
  WeightScaling(const Plan& plan, const Contraction& part, Pipeline& pipeline, const Places& places, bool cached);

  // In the pipeline's current step: `weights`, loaded at `address` in `slot`, are those of `k` of the part.
  void scale(const OperandBox& weights, Range k, Address address, Slot slot);

 private:
  AreaRing::Found loaded(Range k);

  const Plan& plan_;
  const Contraction& part_;
  Pipeline& pipeline_;
  AreaRing places_;
  const bool cached_;
};

}  // namespace tilewright
