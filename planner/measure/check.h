// Value check: runs a plan with numbers and compares every operator's output with a plain computation on the inputs
// that the simulated operator really had, so that an error shows at the operator that made it. Where tensors share
// memory their bytes are gone at the end: their values are computed from what came before, an error shows at the next
// operator whose result has memory of its own, and there every operator in between adds its tolerance.
#pragma once

#include <string>
#include <vector>

#include "planner/ir/plan.h"
#include "sim/session.h"

namespace tilewright {

struct OperatorCheck {
  OperatorId op = -1;
  double scale = 0;        // largest magnitude of the reference; of sums, of what is summed up
  double worst_error = 0;  // largest absolute difference divided by the scale (absolute where the scale is 0)
  double tolerance = 0;
  bool passed() const { return worst_error <= tolerance; }  // false for NaN
};

struct CheckReport {
  std::vector<OperatorCheck> operators;  // in execution order, reshapes left out
  // Operators besides, whose results' bytes are gone at the end: an error shows in those that read them.
  std::int64_t by_readers = 0;
  bool passed() const;
  const OperatorCheck* worst() const;  // by error over tolerance; null when there are none
};

// Allowed error relative to the output's scale: fp32 1e-5, fp16 2e-3, bf16 1.6e-2, integers exact.
double tolerance_of(DataType type);

// Bytes of every input and constant segment, seeded (planner/reference/reference.h).
std::vector<SegmentData> initial_data(const Plan& plan, std::uint64_t seed);
// Names of the segments of all tensors that share no memory.
std::vector<std::string> tensor_segments(const Plan& plan);
// Those of them that lie in cluster memory, which no segments hold.
std::vector<ClusterBytes> tensors_in_clusters(const Plan& plan);
// `segments`: final bytes of tensor_segments() and tensors_in_clusters().
CheckReport compare_values(const Plan& plan, const std::vector<SegmentData>& segments);

// Values of a tensor that shares no memory, row-major; `segments` as above.
std::vector<double> tensor_values(const Plan& plan, TensorId tensor, const std::vector<SegmentData>& segments);

// A run of the plan's program that carries seeded values and keeps what compare_values() looks at. InternalError for a
// program that reads bytes which nothing wrote: its values would be chance.
RunOptions value_run(const Plan& plan, std::uint64_t seed);

}  // namespace tilewright
