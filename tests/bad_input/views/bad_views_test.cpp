// Every faulty view trace of cases.txt is refused with exactly the message that it begins with.
#include "planner/view/view_trace.h"
#include "tests/support/bad_file.h"

namespace tilewright {
namespace {

using namespace testing_support;

const std::filesystem::path kFolder = TILEWRIGHT_SOURCE_DIR "/tests/bad_input/views";

class BadViews : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Files, BadViews, testing::ValuesIn(files_with(kFolder, {})), case_name);

TEST_P(BadViews, AreRefusedWithTheExpectedMessage) {
  const std::string text = text_of(kFolder, GetParam());
  expect_message(message_of([&] { read_view_trace_text(text, GetParam()); }), kFolder, GetParam());
}

}  // namespace
}  // namespace tilewright
