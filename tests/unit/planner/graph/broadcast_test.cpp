#include "planner/graph/broadcast.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

struct Renaming {
  Shape operand, from, to;
  std::optional<Shape> expected;
};

TEST(RenamedOperand, MeetsTheSameElements) {
  const std::vector<Renaming> cases{
      {{3, 4, 5}, {3, 4, 5}, {12, 5}, Shape{12, 5}},  // whole
      {{5}, {3, 4, 5}, {12, 5}, Shape{1, 5}},         // one row for all
      {{3, 4, 1}, {3, 4, 5}, {12, 5}, Shape{12, 1}},  // one element for a row
      {{4, 5}, {3, 4, 5}, {12, 5}, std::nullopt},     // repeats in a part of what becomes one
      {{4, 5}, {1, 4, 5}, {4, 5}, Shape{4, 5}},       // ones come and go
      {{4, 5}, {4, 5}, {1, 4, 1, 5}, Shape{1, 4, 1, 5}},
      {{2, 1, 1, 7}, {2, 6, 5, 7}, {2, 3, 2, 5, 7}, Shape{2, 1, 1, 1, 7}},  // a dimension becomes two
      {{2, 6, 1, 7}, {2, 6, 5, 7}, {2, 3, 2, 5, 7}, Shape{2, 3, 2, 1, 7}},
      {{1, 1, 5, 7}, {1, 6, 5, 7}, {3, 2, 5, 7}, Shape{1, 1, 5, 7}},
      {{1, 1, 5, 7}, {1, 6, 5, 7}, {3, 10, 7}, std::nullopt},  // rows of heads: of each head again
      {{1, 1, 1, 7}, {1, 6, 1, 7}, {3, 2, 7}, Shape{1, 1, 7}},
      {{1, 6, 1, 7}, {1, 6, 5, 7}, {3, 10, 7}, std::nullopt},
  };
  for (const Renaming& c : cases)
    EXPECT_EQ(renamed_operand(c.operand, c.from, c.to), c.expected)
        << to_string(c.operand) << " to " << to_string(c.to);
}

}  // namespace
}  // namespace tilewright
