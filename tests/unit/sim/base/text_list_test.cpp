#include "sim/base/text_list.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(AppendItem, SeparatesWhatFollows) {
  std::string list;
  append_item(list, ", ", "numa");
  EXPECT_EQ(list, "numa");
  append_item(list, ", ", "smp");
  append_item(list, ", ", "mesh");
  EXPECT_EQ(list, "numa, smp, mesh");
}

TEST(NumberRuns, AreToldByTheirEndsFromThreeOn) {
  EXPECT_EQ(number_runs({}), "");
  EXPECT_EQ(number_runs({7}), "7");
  EXPECT_EQ(number_runs({0, 1}), "0 1");
  EXPECT_EQ(number_runs({0, 1, 2}), "0-2");
  EXPECT_EQ(number_runs({0, 1, 2, 4, 5, 9, 10, 11, 12, 20}), "0-2 4 5 9-12 20");
}

}  // namespace
}  // namespace tilewright
