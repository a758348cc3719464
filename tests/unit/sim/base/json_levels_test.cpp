// Texts nested deeper than a parser or a printer should follow.
#include "sim/base/json_levels.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace tilewright {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(JsonLevels, SixtyFourAndOneMore) {
  for (const char* open : {"[", "{\"a\": "}) {
    EXPECT_NO_THROW(check_json_levels(repeated(open, kMostJsonLevels), "f.json"));
    EXPECT_THROW(check_json_levels(repeated(open, kMostJsonLevels + 1), "f.json"), UserError);
  }
  EXPECT_NO_THROW(check_json_levels(repeated("[1],", 1000), "f.json")) << "one behind the other is not deep";
}

TEST(JsonLevels, BracketsInTextsAreText) {
  const std::string brackets = repeated("[", 100);
  EXPECT_NO_THROW(check_json_levels("[\"" + brackets + "\"]", "f.json"));
  EXPECT_NO_THROW(check_json_levels(R"(["\")" + brackets + "\"]", "f.json")) << "an escaped quote ends no text";
  EXPECT_THROW(check_json_levels(R"(["\\",)" + brackets + "]", "f.json"), UserError);
}

}  // namespace
}  // namespace tilewright
