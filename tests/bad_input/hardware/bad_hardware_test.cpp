// Every wrong hardware file NAME.yaml of this folder is refused with exactly the message in NAME.expected.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/base/error.h"
#include "sim/hw/resolve.h"

namespace tilewright {
namespace {

const std::filesystem::path kFolder = TILEWRIGHT_SOURCE_DIR "/tests/bad_input/hardware";

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string error_of(const std::string& name) {
  std::string file = name + ".yaml";
  try {
    load_hardware_text(contents(kFolder / file), file);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

class BadHardware : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Case, BadHardware, testing::ValuesIn(case_names()),
                         [](const auto& info) { return info.param; });

TEST_P(BadHardware, IsRefusedWithTheExpectedMessage) {
  std::string expected = contents(kFolder / (GetParam() + ".expected"));
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(error_of(GetParam()) + "\n", expected);
}

TEST(BadHardware, AMissingFileNamesItself) {
  try {
    load_hardware("/nonexistent/chip.yaml");
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "/nonexistent/chip.yaml: the file cannot be read, or is empty");
  }
}

}  // namespace
}  // namespace tilewright
