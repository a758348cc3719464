// Every wrong program NAME.tw of this folder is refused on hw_configs/dual_cluster.yaml with exactly the message in
// NAME.expected, while it is read or when it is verified.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/base/error.h"
#include "sim/hw/resolve.h"
#include "sim/isa/text.h"
#include "sim/isa/verify.h"

namespace tilewright {
namespace {

const std::filesystem::path kRoot = TILEWRIGHT_SOURCE_DIR;
const std::filesystem::path kFolder = kRoot / "tests/bad_input/programs";

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (entry.path().extension() == ".tw") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string error_of(const std::string& name) {
  const std::string file = name + ".tw";
  try {
    InstructionLines lines;
    const Program program = parse_program(contents(kFolder / file), file, &lines);
    verify(program, load_hardware((kRoot / "hw_configs/dual_cluster.yaml").string()), file, lines);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

class BadProgram : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Case, BadProgram, testing::ValuesIn(case_names()),
                         [](const auto& info) { return info.param; });

TEST_P(BadProgram, IsRefusedWithTheExpectedMessage) {
  const std::string expected = contents(kFolder / (GetParam() + ".expected"));
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(error_of(GetParam()) + "\n", expected);
}

TEST(BadProgram, AMissingFileNamesItself) {
  try {
    load_program("/nonexistent/program.tw");
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "/nonexistent/program.tw: cannot open the program");
  }
}

}  // namespace
}  // namespace tilewright
