// Every faulty study of this folder is refused with exactly the message that it begins with.
#include "planner/search/study/study_read.h"
#include "tests/support/bad_file.h"

namespace tilewright {
namespace {

using namespace testing_support;

const std::filesystem::path kFolder = TILEWRIGHT_SOURCE_DIR "/tests/bad_input/studies";

class BadStudy : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Case, BadStudy, testing::ValuesIn(files_with(kFolder, {".yaml"})), case_name);

TEST_P(BadStudy, IsRefusedWithTheExpectedMessage) {
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(kFolder);  // messages then name the file alone
  const std::string message = message_of([&] { load_study(GetParam()); });
  std::filesystem::current_path(here);
  expect_message(message, kFolder, GetParam());
}

}  // namespace
}  // namespace tilewright
