// The commands a DRAM device understands and its timing rules as rows of data. The controller schedules by them and the
// checker replays by them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/base/units.h"
#include "sim/hw/config/dram_spec.h"

namespace tilewright {

enum class DramCommand : std::uint8_t { kActivate, kPrecharge, kPrechargeAll, kRead, kWrite, kRefresh };
inline constexpr int kDramCommandCount = 6;

std::string_view name_of(DramCommand command);  // "ACT", "PRE", "PREA", "RD", "WR", "REF"

inline bool is_column(DramCommand command) { return command == DramCommand::kRead || command == DramCommand::kWrite; }

// `bank` is flat: bank_group * banks_per_group + bank; meaningless for PREA and REF. `clock` counts DRAM clocks.
struct IssuedCommand {
  Cycles clock = 0;
  DramCommand command = DramCommand::kRefresh;
  int bank = 0;
  Address row = 0;
};

// kBank: both commands address the same bank; kBankGroup: the same bank group; kRank: anything on this pseudo channel.
enum class DramScope : std::uint8_t { kBank, kBankGroup, kRank };

// `following` is legal `distance` clocks after the `window`-th last `preceding` of the same scope, and not before.
// window 1 is the usual pairwise rule; tFAW is the one with window 4.
struct DramRule {
  DramScope scope;
  DramCommand preceding, following;
  int distance;
  int window = 1;
  std::string_view name;  // JEDEC's name, for messages
};

inline constexpr int kActivateWindow = 4;  // activates inside tFAW

// JESD79-4 (DDR4) and JESD235 (HBM) parameters; the same rows Ramulator 2 uses for one rank.
std::vector<DramRule> timing_rules(const DramTiming& timing);

// The rules of window 1, grouped by the preceding command: what an issued command forbids, and for how long.
using DramRulesByCommand = std::array<std::vector<DramRule>, kDramCommandCount>;
DramRulesByCommand group_by_preceding(const std::vector<DramRule>& rules);

}  // namespace tilewright
