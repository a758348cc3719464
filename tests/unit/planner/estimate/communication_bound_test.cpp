// The limit of a product on many cores: below every grid of parts, and below every measurement.
#include "planner/estimate/communication_bound.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "planner/ir/hand_on.h"
#include "planner/measure/measure.h"
#include "planner/search/tiling/plan_network.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

Hardware chip(const std::string& name) {
  return load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/" + name + ".yaml");
}

Graph product(std::int64_t m, std::int64_t n, std::int64_t k) {
  Graph graph;
  const TensorId a = graph.add_tensor({.name = "a", .shape = {m, k}, .kind = TensorKind::kInput});
  const TensorId b = graph.add_tensor({.name = "b", .shape = {k, n}, .kind = TensorKind::kConstant});
  const TensorId c = graph.add_tensor({.name = "c", .shape = {m, n}, .kind = TensorKind::kOutput});
  graph.add_operator({.name = "product", .kind = OpKind::kMatMul, .inputs = {a, b}, .output = c});
  return graph;
}

// What goes into one part of a grid at least, partial results of others among it, bf16.
double into_a_part(double m, double n, double k, double parts_m, double parts_n, double parts_k) {
  const double sums = m * n / parts_m / parts_n;
  return 2 * (m / parts_m + n / parts_n) * k / parts_k + 4 * sums * (1 - 1 / parts_k);
}

TEST(CommunicationBound, WorkedByHand) {
  const Plan plan = make_plan(product(384, 1024, 1024), chip("quad_smp"), {});
  const CommunicationBound limit = communication_bound(plan, 0, 16);
  EXPECT_EQ(limit.cores, 16);
  EXPECT_DOUBLE_EQ(limit.compute_cycles, 384.0 * 1024 * 1024 / 1024 / 16);
  // 3.5 MiB, 256 bytes per cycle; in 14,336 cycles two refreshes of 260 cycles are over.
  EXPECT_DOUBLE_EQ(limit.dram_bytes, 3.5 * 1024 * 1024);
  EXPECT_NEAR(limit.dram_cycles, limit.dram_bytes / 256 + 2 * 260, 1);
  // Of 4 x 4 parts 704 KiB go into each, of 2 x 4 x 2 640; square operands with half of the sums from others 538.
  EXPECT_DOUBLE_EQ(into_a_part(384, 1024, 1024, 4, 4, 1), 704 * 1024);
  EXPECT_DOUBLE_EQ(into_a_part(384, 1024, 1024, 2, 4, 2), 544 * 1024);
  EXPECT_NEAR(limit.port_bytes, 4 * 538 * 1024, 4 * 1024);
  EXPECT_DOUBLE_EQ(limit.port_cycles, limit.port_bytes / 64);
}

TEST(CommunicationBound, NeedsNoWholePlan) {
  const Hardware hardware = chip("quad_smp");
  const Plan whole = make_plan(product(384, 1024, 1024), hardware, {});
  const Plan begun = make_plan(product(384, 1024, 1024), hardware, {}, {.stop_after = kNeededForLimit});
  EXPECT_TRUE(begun.operators[0].split.items.empty());
  ASSERT_TRUE(has_communication_bound(begun, 0));
  for (const int cores : {1, 5, 16}) {
    EXPECT_EQ(communication_bound(begun, 0, cores).cycles(), communication_bound(whole, 0, cores).cycles());
    EXPECT_EQ(least_communication_bound(begun, 0, cores).cores, least_communication_bound(whole, 0, cores).cores);
  }
}

RC_GTEST_PROP(CommunicationBound, NoGridMovesLess, ()) {
  const auto power = [](int most) { return std::int64_t{1} << *rc::gen::inRange(0, most + 1); };
  const std::int64_t parts_m = power(2), parts_n = power(1), parts_k = power(1);
  const std::int64_t m = parts_m * power(8), n = parts_n * power(8), k = parts_k * power(8);
  const Plan plan = make_plan(product(m, n, k), chip("quad_smp"), {});
  const int cores = static_cast<int>(parts_m * parts_n * parts_k);
  const CommunicationBound limit = communication_bound(plan, 0, cores);
  const auto real = [](std::int64_t v) { return static_cast<double>(v); };
  const double bytes = into_a_part(real(m), real(n), real(k), real(parts_m), real(parts_n), real(parts_k));
  RC_ASSERT(limit.port_bytes <= ceil_div(cores, 4) * bytes * (1 + 1e-9));
}

TEST(CommunicationBound, NothingIsMeasuredBelowIt) {
  Session bus(chip("quad_smp")), cached(chip("quad_smp_cache")), numa(chip("quad_numa"));
  for (Session* session : {&bus, &cached, &numa})
    for (const auto& [m, n, k] : {std::tuple{64, 512, 128}, {256, 256, 256}, {48, 96, 1024}, {512, 384, 64}})
      for (const int cores : {1, 4, 6, 16}) {
        const Plan plan = make_plan(product(m, n, k), session->hardware(), {.cores = cores});
        EXPECT_GE(static_cast<double>(measure(*session, plan).cycles),
                  least_communication_bound(plan, 0, cores).cycles());
      }
}

// Where cores hand operands on, memory gives less than any grid of parts uses.
TEST(CommunicationBound, NothingIsMeasuredBelowItOnAMesh) {
  Session session(chip("mesh_16"));
  const Graph graph = product(384, 1024, 512);
  const Plan plan = plan_network(graph, session.hardware(), {});
  ASSERT_TRUE(hands_on(plan.operators[0]));
  EXPECT_GE(static_cast<double>(measure(session, plan).cycles), least_communication_bound(plan, 0, 16).cycles());
}

}  // namespace
}  // namespace tilewright
