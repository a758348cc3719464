#include "planner/passes/allocate/nesting.h"

#include <algorithm>
#include <numeric>

#include "planner/ir/access.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Rows outside channels, of N, C, H and W.
const std::vector<int> kRowsOutside{0, 2, 1, 3};

bool is_image_between(const Plan& plan, TensorId id) {
  const TensorPlan& placed = plan.tensors[id];
  return plan.graph.tensor(id).kind == TensorKind::kHidden && plan.labels[id].fixed.order == "NCHW" &&
         placed.alias_of < 0 && placed.parts.empty() && !placed.pieces.empty();
}

// By tensor: whether another one shares its memory in another shape.
std::vector<bool> seen_otherwise(const Plan& plan) {
  std::vector<bool> seen(plan.tensors.size(), false);
  for (TensorId id = 0; id < std::ssize(plan.tensors); ++id) {
    const TensorId storage = storage_of(plan, id);
    const std::size_t rank = plan.graph.tensor(storage).shape.size();
    const bool joined = plan.tensors[id].joined_along >= 0 && plan.graph.tensor(id).shape.size() == rank;
    if (storage != id && !joined) seen[storage] = true;
  }
  return seen;
}

}  // namespace

void nest_images(Plan& plan) {
  if (plan.options.layout == ImageLayout::kRowMajor) return;
  const std::vector<bool> otherwise = seen_otherwise(plan);
  for (TensorId id = 0; id < std::ssize(plan.tensors); ++id)
    if (is_image_between(plan, id) && !otherwise[id]) plan.tensors[id].nesting = kRowsOutside;
}

void expect_nesting(const Plan& plan) {
  const std::vector<bool> otherwise = seen_otherwise(plan);
  for (TensorId id = 0; id < std::ssize(plan.tensors); ++id) {
    const std::vector<int>& nesting = plan.tensors[id].nesting;
    if (nesting.empty()) continue;
    const Tensor& tensor = plan.graph.tensor(id);
    std::vector<int> dimensions(tensor.shape.size());
    std::iota(dimensions.begin(), dimensions.end(), 0);
    SIM_CHECK(std::is_permutation(nesting.begin(), nesting.end(), dimensions.begin(), dimensions.end()),
              "the memory of '{}' has other dimensions than its shape", tensor.name);
    SIM_CHECK(is_image_between(plan, id) && !otherwise[id], "'{}' is seen in the order of its shape", tensor.name);
  }
}

}  // namespace tilewright
