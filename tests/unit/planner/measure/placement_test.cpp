// On a chip whose memories are not equally far, pieces next to their cores are never slower than pieces in turn.
#include <gtest/gtest.h>

#include <memory>

#include "planner/import/import.h"
#include "planner/measure/measure.h"
#include "planner/passes/pass.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

Cycles cycles_with(Session& session, const std::string& workload, Placement placement) {
  const Graph graph = import_workload(std::string(TILEWRIGHT_SOURCE_DIR) + "/traces/" + workload, {});
  PlanOptions options;
  options.placement = placement;
  return measure(session, make_plan(graph, session.hardware(), options)).cycles;
}

TEST(Placement, NextToTheCoresIsNeverSlowerThanInTurn) {
  std::vector<std::unique_ptr<Session>> sessions;  // all before the first one runs
  for (const char* chip : {"quad_numa", "quad_numa_cache"})
    sessions.push_back(
        std::make_unique<Session>(load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/" + chip + ".yaml")));
  for (const auto& session : sessions)
    for (const char* workload : {"tiny_attention.onnx", "tiny_mlp.onnx", "tiny_conv.yaml"})
      EXPECT_LE(cycles_with(*session, workload, Placement::kLocal),
                cycles_with(*session, workload, Placement::kRoundRobin))
          << workload << " on " << session->hardware().name;
}

}  // namespace
}  // namespace tilewright
