#include "sim/base/printable.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(Printable, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(printable("a\nb\x1b[31m\x7f"), "a\\x0ab\\x1b[31m\\x7f");
  EXPECT_EQ(printable("line\nnext\r", "\n"), "line\nnext\\x0d");
  EXPECT_EQ(printable("\x1f\x20~"), "\\x1f ~") << "the last control character, and those beside it that are none";
  EXPECT_EQ(printable("größer <b> $(x) \"\\"), "größer <b> $(x) \"\\");
}

}  // namespace
}  // namespace tilewright
