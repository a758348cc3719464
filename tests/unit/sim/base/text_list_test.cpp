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

}  // namespace
}  // namespace tilewright
