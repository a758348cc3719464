// Every faulty workload of this folder is refused with exactly the message that it begins with, or that stands in
// expected.txt when it is binary or empty.
#include "planner/import/import.h"
#include "tests/support/bad_file.h"
#include "tests/support/scratch_folder.h"

namespace tilewright {
namespace {

using namespace testing_support;

const std::filesystem::path kFolder = TILEWRIGHT_SOURCE_DIR "/tests/bad_input/workloads";

// The message for a file of `in` without the folder, as the expectations hold it.
std::string import_message(const std::string& file, const std::filesystem::path& in = kFolder) {
  std::string message = message_of([&] { import_workload(in / file); });
  const std::string folder = in.string() + "/";
  for (auto at = message.find(folder); at != std::string::npos; at = message.find(folder))
    message.erase(at, folder.size());
  return message;
}

class BadWorkload : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Files, BadWorkload, testing::ValuesIn(files_with(kFolder, {".onnx"})), case_name);

TEST_P(BadWorkload, IsRefusedWithTheExpectedMessage) {
  const ScratchFolder scratch("workload_" + GetParam());
  std::ofstream(scratch.path() / GetParam(), std::ios::binary) << text_of(kFolder, GetParam());
  expect_message(import_message(GetParam(), scratch.path()), kFolder, GetParam());
}

TEST(BadWorkloads, MissingFilesAndUnknownExtensionsAreNamed) {
  EXPECT_EQ(import_message("absent.onnx"), "absent.onnx: no such workload file");
  EXPECT_EQ(import_message("bad_workloads_test.cpp"),
            "bad_workloads_test.cpp: got extension '.cpp', expected .onnx|.yaml|.yml|.csv|.json");
}

}  // namespace
}  // namespace tilewright
