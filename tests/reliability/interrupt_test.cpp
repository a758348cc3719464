// Interrupted with Ctrl-C at random moments: every command ends soon, with exit code 130, and leaves nothing that is
// half-written. TILEWRIGHT_CASES is the number of interrupts of each command.
#include <fstream>

#include "sim/base/random.h"
#include "tests/reliability/commands.h"
#include "tests/support/property.h"

namespace tilewright::testing_support {
namespace {

using Seconds = std::chrono::duration<double>;
constexpr double kHang = 10;  // seconds; a busy machine needs some of them

// So many blocks of five operators one after the other.
std::string deep_network(int blocks) {
  std::string text =
      "name: deep\ninputs:\n  - {name: x, shape: [128, 256]}\nconstants:\n  - {name: w, shape: [256, 256]}\n"
      "  - {name: scale, shape: [256]}\n  - {name: shift, shape: [256]}\noperators:\n";
  std::string x = "x";
  for (int i = 0; i < blocks; ++i) {
    const std::string n = std::to_string(i);
    text += "  - {name: p" + n + ", kind: MatMul, inputs: [" + x + ", w], output: a" + n + "}\n";
    text += "  - {name: s" + n + ", kind: Softmax, inputs: [a" + n + "], output: b" + n + ", axis: 1}\n";
    text += "  - {name: q" + n + ", kind: MatMul, inputs: [b" + n + ", w], output: c" + n + "}\n";
    text += "  - {name: n" + n + ", kind: LayerNormalization, inputs: [" + x + ", scale, shift], output: d" + n +
            ", axis: 1}\n";
    text += "  - {name: u" + n + ", kind: Add, inputs: [c" + n + ", d" + n + "], output: e" + n + "}\n";
    x = "e" + n;
  }
  return text;
}

struct LongCommand {
  std::string name, line;
  double most = 4;                     // seconds after which it is interrupted at the latest
  std::vector<std::string> made = {};  // what it would leave in OUT, had it the time
};

const std::vector<LongCommand>& long_commands() {
  static const std::vector<LongCommand> kCommands{
      {"plan", "$T plan hw_configs/quad_smp_cache.yaml OUT/deep.yaml"},
      {"run", "$T run hw_configs/quad_smp_cache.yaml OUT/deep.yaml --check -o OUT/run", 8, {"run"}},
      {"run_of_large_values", "$T run hw_configs/mesh_16.yaml traces/resnet50.onnx --check -o OUT/run", 6, {"run"}},
      {"tune", "$T tune hw_configs/edge_single.yaml --m 4096 --n 4096 --k 8192 --budget 100 --jobs 1"},
      {"tune_network", "$T tune hw_configs/quad_smp.yaml OUT/deep.yaml --budget 100 --jobs 1"},
      {"copy", "$T copy hw_configs/quad_smp.yaml traces/views_attention.yaml --check --via-plain"},
      {"schedule",
       "$T schedule hw_configs/quad_smp.yaml OUT/deep.yaml --jobs 1 -o OUT/order.yaml --csv OUT/orders.csv",
       4,
       {"order.yaml", "orders.csv"}},
      {"db_build", "$T db build hw_configs/edge_single.yaml -o OUT/a.db --shapes OUT/shapes --budget 100 --jobs 1"},
      {"explore", "$T explore hw_configs/studies/bert_buffers.yaml -o OUT/study --jobs 1"}};
  return kCommands;
}

class Interrupt : public testing::TestWithParam<LongCommand> {};
INSTANTIATE_TEST_SUITE_P(All, Interrupt, testing::ValuesIn(long_commands()),
                         [](const auto& info) { return info.param.name; });

// Files on their way to their place.
int leftovers(const fs::path& out) {
  int count = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(out))
    count += entry.path().filename().string().front() == '.';
  return count;
}

TEST_P(Interrupt, EndsSoonAndLeavesNothingHalfWritten) {
  const LongCommand& command = GetParam();
  const test::Property wanted = test::property(1, 4);
  const ScratchFolder scratch("interrupt_" + command.name);
  const fs::path out = scratch.path() / "out", log = scratch.path() / "log";
  SplitMix64 random(wanted.seed);
  double worst = 0;
  for (int i = 0; i < wanted.cases; ++i) {
    fs::remove_all(out);
    fs::create_directory(out);
    std::ofstream(out / "deep.yaml") << deep_network(400);
    std::ofstream(out / "shapes") << "matmul 1_4096_4096_4096 bf16\n";
    const double moment = command.most * random.unit_interval();
    SCOPED_TRACE("after " + std::to_string(moment) + " s");
    Process process("exec " + command.line, out, log);
    std::this_thread::sleep_for(Seconds(moment));
    process.interrupt();
    const auto begin = std::chrono::steady_clock::now();
    const int code = process.wait();
    const double taken = Seconds(std::chrono::steady_clock::now() - begin).count();
    worst = std::max(worst, taken);
    EXPECT_LT(taken, kHang);
    if (code == 0) continue;  // done before
    EXPECT_TRUE(code == 130 || (code == -1 && moment < 0.2)) << code << "\n" << read_file(log);
    EXPECT_EQ(leftovers(out), 0);
    for (const std::string& made : command.made) EXPECT_FALSE(fs::exists(out / made)) << made;
  }
  std::printf("worst time to exit: %.2f s of %d interrupts\n", worst, static_cast<int>(wanted.cases));
}

TEST(Interrupt, EndsWhatWaitsForAPipesReader) {
  const ScratchFolder scratch("interrupt_pipe");
  Process process("mkfifo OUT/pipe && exec $T asm traces/hello_matmul.tw -o OUT/pipe", scratch.path(),
                  scratch.path() / "log");
  std::this_thread::sleep_for(Seconds(2));
  process.interrupt();
  EXPECT_EQ(process.wait(), 130) << read_file(scratch.path() / "log");
}

}  // namespace
}  // namespace tilewright::testing_support
