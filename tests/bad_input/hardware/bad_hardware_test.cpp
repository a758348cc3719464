// Every wrong hardware file NAME.yaml of this folder is refused with exactly the message that it begins with.
#include "sim/hw/config/read_hardware.h"
#include "tests/support/bad_file.h"

namespace tilewright {
namespace {

using namespace testing_support;

const std::filesystem::path kFolder = TILEWRIGHT_SOURCE_DIR "/tests/bad_input/hardware";

class BadHardware : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Case, BadHardware, testing::ValuesIn(files_with(kFolder, {".yaml"})), case_name);

TEST_P(BadHardware, IsRefusedWithTheExpectedMessage) {
  const std::string file = GetParam();
  expect_message(message_of([&] { load_hardware_text(read_file(kFolder / file), file); }), kFolder, file);
}

TEST(BadHardware, AMissingFileNamesItself) {
  EXPECT_EQ(message_of([] { load_hardware("/nonexistent/chip.yaml"); }),
            "/nonexistent/chip.yaml: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace tilewright
