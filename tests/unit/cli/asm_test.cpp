// asm and disasm: text to bytes and back is the same program, and each says what it cannot read.
#include "sim/isa/binary.h"
#include "sim/isa/text.h"
#include "tests/support/command_case.h"

namespace tilewright::testing_support {
namespace {

class AsmTest : public testing::Test {
 protected:
  Outcome run(const std::string& arguments) { return run_tilewright(arguments, scratch_.path()); }
  std::string file(const std::string& name) const { return (scratch_.path() / name).string(); }

  const ScratchFolder scratch_{"asm"};
};

TEST_F(AsmTest, ThereAndBackIsTheSameProgram) {
  for (const std::string name : {"hello_matmul", "two_cores"}) {
    ASSERT_EQ(run("asm traces/" + name + ".tw -o " + file("p.twb")).exit_code, 0);
    const Program program = load_program(std::string(TILEWRIGHT_SOURCE_DIR) + "/traces/" + name + ".tw");
    EXPECT_EQ(hash_of(load_program(file("p.twb"))), hash_of(program));
    const Outcome text = run("disasm " + file("p.twb"));
    EXPECT_EQ(text.files.at("stdout"), print_program(program));
    ASSERT_EQ(run("disasm " + file("p.twb") + " -o " + file("p.tw")).exit_code, 0);
    EXPECT_EQ(read_file(file("p.tw")), print_program(program));
    ASSERT_EQ(run("asm " + file("p.tw") + " -o " + file("q.twb")).exit_code, 0);
    EXPECT_EQ(read_file(file("q.twb")), read_file(file("p.twb")));
  }
}

TEST_F(AsmTest, BinaryAndTextRunAlike) {
  const std::string chip = "exec tests/golden/chips/one_core.yaml ";
  ASSERT_EQ(run("asm hello_matmul -o " + file("p.twb")).exit_code, 0);
  const auto report = [](std::string text) { return text.substr(text.find("total time")); };
  EXPECT_EQ(report(run(chip + file("p.twb")).files.at("stdout")),
            report(run(chip + "traces/hello_matmul.tw").files.at("stdout")));
}

TEST_F(AsmTest, ACutFileIsExplainedInOneMessage) {
  ASSERT_EQ(run("asm hello_matmul -o " + file("p.twb")).exit_code, 0);
  const std::string bytes = read_file(file("p.twb"));
  for (const std::size_t size : {std::size_t{8}, bytes.size() / 2, bytes.size() - 1}) {
    std::ofstream(file("cut.twb"), std::ios::binary) << bytes.substr(0, size);
    const Outcome cut = run("disasm " + file("cut.twb"));
    EXPECT_EQ(cut.exit_code, 2);
    EXPECT_THAT(cut.files.at("stderr"), testing::StartsWith("error: " + file("cut.twb")));
    EXPECT_EQ(std::count(cut.files.at("stderr").begin(), cut.files.at("stderr").end(), '\n'), 1);
  }
}

}  // namespace
}  // namespace tilewright::testing_support
