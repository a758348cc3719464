// Which of several plans is measured to be fastest.
#include "planner/search/tiling/measured_plan.h"

#include <gtest/gtest.h>

#include "planner/passes/pass.h"
#include "planner/passes/tile/tiling_choice.h"
#include "planner/search/tiling/tiling_measurer.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

Plan with_point(const Hardware& hardware, const std::string& point) {
  const TilingOperator op = tiling_operator(parse_operator_shape("matmul 1_64_64_64 bf16", "test"));
  PlanOptions options{.type = op.type};
  options.choices = {choice_of(parse_tiling_point(point, "test"), op.graph, op.op, hardware, op.type)};
  return make_plan(op.graph, hardware, options);
}

TEST(FastestMeasured, TakesTheFewestCyclesAndOfEqualsTheFirst) {
  const Hardware hardware = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/edge_single.yaml");
  const Plan slow = with_point(hardware, "parts 1x1x1 partition 8x8x8 tile 8x8 order mn/nm hold b");
  const Plan fast = with_point(hardware, "parts 1x1x1 partition 64x64x64 tile 32x32 order mn/nm hold b");
  EXPECT_EQ(fastest_measured({&slow, &fast}, 2), 1u);
  EXPECT_EQ(fastest_measured({&fast, &slow, &fast}, 1), 0u);
}

}  // namespace
}  // namespace tilewright
