// The commands a DRAM device understands, and one of them on its bus.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/base/units.h"

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

}  // namespace tilewright
