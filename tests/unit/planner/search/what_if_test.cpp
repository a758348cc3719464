#include "planner/search/study/what_if.h"

#include <gmock/gmock.h>

#include "sim/base/error.h"
#include "sim/base/text_file.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

using testing::HasSubstr;

const std::string kChipFile = std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/quad_smp.yaml";

Hardware after(const std::string& change) {
  const std::string text = read_text_file(kChipFile);
  return changed_hardware(parse_what_if(change, load_hardware(kChipFile)).at(0), text);
}

std::string complaint(const std::string& change) {
  try {
    after(change);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(WhatIf, MultipliesValuesOfTheFileAndDefaults) {
  const Hardware before = load_hardware(kChipFile);
  EXPECT_EQ(after("dram.channels=x2").dram.channels, 2 * before.dram.channels);
  EXPECT_EQ(after("core.control.fetch_ahead=x3").core.control.fetch_ahead, 3 * before.core.control.fetch_ahead);
  EXPECT_EQ(after("core.buffer_a_kib=x0.5").core.buffer_a, before.core.buffer_a / 2);
}

TEST(WhatIf, SetsSeveralKeysOfOneChange) {
  const Hardware hardware = after("core.vector.lanes=7+core.dma.setup_cycles=free");
  EXPECT_EQ(hardware.core.vector.lanes, 7);
  EXPECT_EQ(hardware.core.dma.setup_cycles, 0);
  EXPECT_EQ(parse_what_if("core.vector.lanes=7,core.dma.setup_cycles=free", load_hardware(kChipFile)).size(), 2u);
}

TEST(WhatIf, FreesWhatHasAFreeValue) {
  const Hardware before = load_hardware(kChipFile);
  EXPECT_EQ(after("network.topology=free").network.topology, Topology::kSimple);
  EXPECT_EQ(after("core.vector.lanes=free").core.vector.lanes, 256 * before.core.vector.lanes);
}

TEST(WhatIf, TellsWhatAChangeTakesAwayAtMost) {
  const auto share = [](const std::string& change) {
    return parse_what_if(change, load_hardware(kChipFile)).at(0).settings.at(0).taken_away;
  };
  EXPECT_DOUBLE_EQ(share("dram.channels=x4"), 0.75);
  EXPECT_DOUBLE_EQ(share("dram.channels=x0.5"), 0);
  EXPECT_DOUBLE_EQ(share("core.control.signal_cycles=x0.25"), 0.75);
  EXPECT_DOUBLE_EQ(share("core.control.signal_cycles=free"), 1);
  EXPECT_DOUBLE_EQ(share("network.topology=numa"), 1);
}

TEST(WhatIf, RefusesWhatIsNoChange) {
  EXPECT_THAT(complaint("dram.channel=x2"), HasSubstr("did you mean 'dram.channels'?"));
  EXPECT_THAT(complaint("dram.channels"), HasSubstr("expected KEY=xN, KEY=VALUE or KEY=free"));
  EXPECT_THAT(complaint("dram.channels=xtwo"), HasSubstr("got 'xtwo', expected e.g. x2"));
  EXPECT_THAT(complaint("dram.channels=x-1"), HasSubstr("got 'x-1', expected e.g. x2"));
  EXPECT_THAT(complaint("network.topology=x2"), HasSubstr("which no factor can change"));
  EXPECT_THAT(complaint("dram.channels=free"), HasSubstr("cannot be free"));
  EXPECT_THAT(complaint("core.vector.lanes=x0.3"), HasSubstr("--what-if core.vector.lanes=x0.3"));
  EXPECT_THAT(complaint("dram.channels=0"), HasSubstr("dram.channels"));
}

}  // namespace
}  // namespace tilewright
