// What a table of predictions says of a program up to a limit, whatever it was asked about it before.
#include "planner/search/tiling/prediction_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "planner/estimate/queue_model/queue_model.h"
#include "planner/graph/operator_shape.h"
#include "planner/search/tiling/plan_network.h"
#include "sim/isa/binary.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

class APredictionTable : public testing::Test {
 protected:
  APredictionTable()
      : plan_(make_plan(graph_of({.dims = {1, 96, 64, 128}}), chip(), {})),
        table_(plan_.hardware),
        cycles_(std::floor(queue_model_cycles(plan_.hardware, plan_.program))),
        rough_(std::floor(queue_model_run(plan_.hardware, plan_.program, RouterBuffers::kUnlimited).cycles)) {}

  const Program& program() const { return plan_.program; }

  const Plan plan_;
  PredictionTable table_;
  const double cycles_, rough_;
};

TEST_F(APredictionTable, SaysWhatAProgramTakesUpToALimit) {
  EXPECT_EQ(table_.cycles_up_to(cycles_ + 1, program()), cycles_);
  EXPECT_EQ(table_.cycles(program()), cycles_);
  EXPECT_EQ(table_.rough_cycles_up_to(rough_ + 1, program()), rough_);
}

TEST_F(APredictionTable, SaysMoreThanTheLimitBeyondIt) {
  for (const double most : {0.5 * cycles_, 0.7 * cycles_, 0.6 * cycles_}) {
    const double said = table_.cycles_up_to(most, program());
    EXPECT_GT(said, most);
    EXPECT_LE(said, cycles_);
  }
}

TEST_F(APredictionTable, FindsOutTheRestWhenItIsAsked) {
  table_.cycles_up_to(0.5 * cycles_, program());
  EXPECT_EQ(table_.cycles_up_to(2 * cycles_, program()), cycles_);
  EXPECT_EQ(table_.cost(program()).cycles, static_cast<Cycles>(cycles_));
}

TEST_F(APredictionTable, LooksRoughlyFirstWhereThereIsALimit) {
  EXPECT_EQ(table_.cycles_below(rough_, 2 * rough_, program()), rough_);
  EXPECT_GT(table_.cycles_below(0.5 * rough_, 0.6 * rough_, program()), 0.6 * rough_);
  EXPECT_EQ(table_.cycles_below(rough_ + 1, 2 * rough_, program()), cycles_);
}

// Whether more is known of a program than it was asked for must not show.
TEST_F(APredictionTable, SaysTheSameWhateverItWasAskedBefore) {
  const double early = table_.cycles_up_to(0.5 * cycles_, program());
  EXPECT_GT(table_.cycles_up_to(0.9 * cycles_, program()), 0.9 * cycles_);
  EXPECT_EQ(table_.cycles_up_to(0.5 * cycles_, program()), early);
  table_.cycles(program());
  EXPECT_EQ(table_.cycles_up_to(0.5 * cycles_, program()), early);
}

// Of chips that differ only in how much their buffers hold, in this process or another.
TEST_F(APredictionTable, SharesWhatOtherChipsHaveFound) {
  Predictions known;
  PredictionTable first(plan_.hardware, &known);
  EXPECT_EQ(first.cycles(program()), cycles_);
  Predictions elsewhere;
  elsewhere.take(known.learned());
  Hardware larger = plan_.hardware;
  larger.core.buffer_a *= 2, larger.area.mm2_per_mac = 7;
  PredictionTable second(larger, &elsewhere);
  EXPECT_EQ(second.cost(program()), first.cost(program()));
  EXPECT_TRUE(elsewhere.learned().empty());
  Hardware slower = plan_.hardware;
  slower.dram.timing.CL *= 4;
  PredictionTable third(slower, &elsewhere);
  EXPECT_GT(third.cycles(program()), cycles_);
}

// The plan is the one that would be made alone.
TEST(PlanNetwork, IsTheSameWithWhatWasPredictedForOtherChips) {
  const Graph graph = wide_between(128, 96, 256, 64, 1);
  Predictions known;
  for (const Bytes bytes : {Bytes{64} << 10, Bytes{32} << 10, Bytes{128} << 10}) {
    Hardware hardware = chip();
    hardware.core.buffer_a = bytes;
    const Plan shared = plan_network(graph, hardware, {}, {}, &known);
    EXPECT_EQ(hash_of(shared.program), hash_of(plan_network(graph, hardware, {}).program)) << bytes;
  }
}

}  // namespace
}  // namespace tilewright::test
