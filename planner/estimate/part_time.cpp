#include "planner/estimate/part_time.h"

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/estimate/bandwidth.h"
#include "planner/estimate/unit_times.h"

namespace tilewright {
namespace {

// All cores load at once, those that a grid leaves idle too: with the parts' own number instead of the chip's, grids of
// few parts look better than they are (resnet50 takes 1.3 % longer on tpu_v4_like, 0.5 % on gemmini_8x8).
double share_of(const Hardware& hardware) { return bandwidth_share(hardware, hardware.cores()); }

}  // namespace

double part_cycles(const Plan& plan, const Contraction& part) {
  const GemmShape& s = part.shape();
  const DataType type = plan.tensors[part.tensor_a()].type;
  const double b =
      s.conv
          ? static_cast<double>(s.conv->input_elements(s.conv->images, s.conv->rows, s.conv->columns, s.conv->channels))
          : static_cast<double>(s.n) * static_cast<double>(s.k);
  const double elements = static_cast<double>(s.m) * static_cast<double>(s.k + s.n) + b;
  const double load = elements * bytes_of(type) / share_of(plan.hardware);
  const ArrayWork work{.m = s.m, .n = s.n, .k = s.k, .type = type, .kernel = s.conv ? s.conv->kernel() : 1};
  const auto compute = static_cast<double>(least_occupancy(plan.hardware.core.matmul, work));
  return static_cast<double>(s.batches) * (std::max(compute, load) + constants().hidden_load_weight * load);
}

double reduction_cycles(const Plan& plan, const Contraction& part, std::int64_t parts) {
  if (parts == 1) return 0;
  const Hardware& hardware = plan.hardware;
  const auto inside = std::min<std::int64_t>(parts, hardware.cores_per_cluster);
  const std::int64_t clusters = ceil_div(parts, inside);
  const GemmShape& s = part.shape();
  const double bytes = static_cast<double>(s.batches) * static_cast<double>(s.m) * static_cast<double>(s.n) *
                       bytes_of(accumulator_type(plan.tensors[part.tensor_a()].type));
  const double moved = static_cast<double>(inside - 1 + clusters - 1) * 2 * bytes / share_of(hardware);
  const int levels = (inside > 1) + (clusters > 1);
  return moved + levels * (hardware.core.control.signal_cycles + 2 * hardware.core.dma.setup_cycles);
}

}  // namespace tilewright
