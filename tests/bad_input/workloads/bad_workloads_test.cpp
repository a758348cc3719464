// Every faulty workload of this folder, beside the message that the user gets: CASE.{csv,yaml,onnx} and CASE.expected.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "planner/graph/import.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

const std::filesystem::path kFolder = TILEWRIGHT_SOURCE_DIR "/tests/bad_input/workloads";

// Sorted, so that the tests keep their order.
std::set<std::string> workload_files() {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".csv" || extension == ".yaml" || extension == ".onnx")
      files.insert(entry.path().filename().string());
  }
  return files;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// The message without the folder, as the expectations hold it.
std::string message_of(const std::string& file) {
  try {
    import_workload(kFolder / file);
  } catch (const UserError& error) {
    std::string message = error.what();
    const std::string folder = kFolder.string() + "/";
    for (auto at = message.find(folder); at != std::string::npos; at = message.find(folder))
      message.erase(at, folder.size());
    return message;
  }
  return "imported without a complaint";
}

class BadWorkload : public ::testing::TestWithParam<std::string> {};

TEST_P(BadWorkload, IsRefusedWithTheExpectedMessage) {
  const auto expected = (kFolder / GetParam()).replace_extension(".expected");
  ASSERT_TRUE(std::filesystem::exists(expected)) << expected;
  EXPECT_EQ(message_of(GetParam()), content_of(expected));
}

std::string case_name(const ::testing::TestParamInfo<std::string>& info) {
  return info.param.substr(0, info.param.find('.'));
}

INSTANTIATE_TEST_SUITE_P(Files, BadWorkload, ::testing::ValuesIn(workload_files()), case_name);

TEST(BadWorkloads, MissingFilesAndUnknownExtensionsAreNamed) {
  EXPECT_EQ(message_of("absent.onnx"), "absent.onnx: no such workload file");
  EXPECT_EQ(message_of("CMakeLists.txt"), "CMakeLists.txt: got extension '.txt', expected .onnx|.yaml|.yml|.csv");
}

}  // namespace
}  // namespace tilewright
