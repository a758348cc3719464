// What --waveform writes, read back.
#include <set>

#include "sim/hw/config/read_hardware.h"
#include "tests/support/command_case.h"
#include "tests/unit/cli/vcd.h"

namespace tilewright::testing_support {
namespace {

const std::string kChip = "tests/golden/chips/four_cores.yaml";
const std::string kRun = "run " + kChip + " traces/tiny_mlp.onnx";

class WaveformTest : public testing::Test {
 protected:
  // The file that a run with these options writes.
  std::string text_of(const std::string& options = "", const std::string& name = "wave") {
    const fs::path file = scratch_.path() / (name + ".vcd");
    const Outcome outcome = run_tilewright(kRun + " --waveform " + file.string() + " " + options, scratch_.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.files.at("stderr");
    report_ = outcome.files.at("stdout");
    return read_file(file);
  }

  const Hardware hardware_ = load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/" + kChip);
  const ScratchFolder scratch_{"waveform"};
  std::string report_;
};

TEST_F(WaveformTest, TheReportSaysWhereItIs) {
  text_of();
  EXPECT_THAT(report_, testing::EndsWith("\nWaveform: " + (scratch_.path() / "wave.vcd").string() + "\n"));
}

TEST_F(WaveformTest, EveryUnitHasItsScope) {
  const Vcd vcd = read_vcd(text_of());
  EXPECT_THAT(vcd.timescale, testing::HasSubstr("1 ps"));
  for (int core = 0; core < hardware_.cores(); ++core) {
    const std::string path =
        "SystemC.chip.cluster" + std::to_string(hardware_.cluster_of(core)) + ".core" + std::to_string(core);
    for (const char* signal : {".buffer_a.occupied", ".buffer_b.occupied", ".accumulator.occupied", ".matmul.state",
                               ".matmul.matmul_queue", ".dma.requests", ".queue.blocks", ".vector.vector_in_flight"})
      EXPECT_TRUE(vcd.changes.count(path + signal)) << path << signal;
  }
  for (const char* path :
       {"SystemC.chip.network.packets", "SystemC.chip.network.router0.groups", "SystemC.chip.dram0.requests",
        "SystemC.chip.memory.requests", "SystemC.chip.sync.under_way"})
    EXPECT_TRUE(vcd.changes.count(path)) << path;
}

TEST_F(WaveformTest, NothingIsFullerThanItCanBeAndEverythingEndsEmpty) {
  const Vcd vcd = read_vcd(text_of());
  const std::map<std::string, std::int64_t> limits{{".buffer_a.occupied", hardware_.core.buffer_a},
                                                   {".buffer_b.occupied", hardware_.core.buffer_b},
                                                   {".accumulator.occupied", hardware_.core.accumulator},
                                                   {".dma.requests", hardware_.core.dma.outstanding_requests},
                                                   {".dma.load_queue", hardware_.core.control.unit_queue},
                                                   {".matmul.matmul_queue", hardware_.core.control.unit_queue}};
  std::map<std::string, std::int64_t> most;
  for (const auto& [name, changes] : vcd.changes) {
    for (const auto& [suffix, limit] : limits) {
      if (!name.ends_with(suffix)) continue;
      for (const VcdChange& change : changes) most[suffix] = std::max(most[suffix], number_of(change));
      EXPECT_EQ(number_of(changes.back()), 0) << name;
    }
  }
  for (const auto& [suffix, limit] : limits) {
    EXPECT_GT(most[suffix], 0) << suffix;
    EXPECT_LE(most[suffix], limit) << suffix;
  }
}

TEST_F(WaveformTest, ValuesChangeInsideTheWindowOnlyAndAreThoseOfTheWholeFile) {
  const std::int64_t from = 300'000, to = 800'000;
  const Vcd whole = read_vcd(text_of()), part = read_vcd(text_of("--from 300 --to 800"));
  std::size_t changed = 0;
  for (const auto& [name, changes] : part.changes) {
    EXPECT_EQ(changes.front().time, 0);
    EXPECT_FALSE(is_known(changes.front())) << name << " before the window";
    for (std::size_t i = 1; i < changes.size(); ++i, ++changed) {
      EXPECT_GE(changes[i].time, from);
      EXPECT_LE(changes[i].time, to);
    }
    std::map<std::int64_t, std::string> expected;
    for (const VcdChange& change : whole.changes.at(name)) expected[change.time] = change.value;
    for (std::size_t i = 1; i < changes.size(); ++i)
      EXPECT_EQ(changes[i].value, std::prev(expected.upper_bound(changes[i].time))->second) << name;
  }
  EXPECT_GT(changed, 100u);
}

TEST_F(WaveformTest, TheRunIsTheSameAndSoIsTheFileOfASecondOne) {
  const std::string first = text_of("", "first"), report = report_;
  EXPECT_TRUE(first == text_of("", "second"));
  // But for where the file is.
  EXPECT_EQ(run_tilewright(kRun, scratch_.path()).files.at("stdout"), report.substr(0, report.rfind("\nWaveform: ")));
}

TEST_F(WaveformTest, AProgramHasOneToo) {
  const fs::path file = scratch_.path() / "exec.vcd";
  const Outcome outcome = run_tilewright(
      "exec tests/golden/chips/one_core.yaml traces/hello_matmul.tw --waveform " + file.string(), scratch_.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.files.at("stderr");
  const Vcd vcd = read_vcd(read_file(file));
  std::set<std::int64_t> states;
  for (const VcdChange& change : vcd.changes.at("SystemC.chip.cluster0.core0.matmul.state"))
    states.insert(number_of(change));
  EXPECT_TRUE(states.count(0) && states.count(1)) << "idle and computing";
}

}  // namespace
}  // namespace tilewright::testing_support
