// Every wrong program of cases.txt is refused on hw_configs/dual_cluster.yaml with exactly the message
// that it begins with, while it is read or when it is verified.
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/text.h"
#include "sim/isa/verify/verify.h"
#include "tests/support/bad_file.h"

namespace tilewright {
namespace {

using namespace testing_support;

const std::filesystem::path kFolder = TILEWRIGHT_SOURCE_DIR "/tests/bad_input/programs";

void read_and_verify(const std::string& file) {
  InstructionLines lines;
  const Program program = parse_program(text_of(kFolder, file), file, &lines);
  const Hardware hardware = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/dual_cluster.yaml");
  verify(program, hardware, file, lines);
  verify_written(program, hardware, file, lines);
}

class BadProgram : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Case, BadProgram, testing::ValuesIn(files_with(kFolder, {})), case_name);

TEST_P(BadProgram, IsRefusedWithTheExpectedMessage) {
  expect_message(message_of([] { read_and_verify(GetParam()); }), kFolder, GetParam());
}

TEST(BadProgram, AMissingFileNamesItself) {
  EXPECT_EQ(message_of([] { load_program("/nonexistent/program.tw"); }),
            "/nonexistent/program.tw: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace tilewright
