// What a table of predictions says of a program up to a limit, whatever it was asked about it before.
#include "planner/search/tiling/prediction_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "planner/estimate/queue_model/queue_model.h"
#include "planner/search/tiling/plan_network.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

class APredictionTable : public testing::Test {
 protected:
  APredictionTable()
      : plan_(make_plan(product(96, 64, 128).graph, chip(), {})),
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

}  // namespace
}  // namespace tilewright::test
