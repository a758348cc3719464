// From which clock on each command is legal, kept up to date command by command from the rules.
#pragma once

#include <algorithm>

#include "sim/model/dram_timing_table.h"

namespace tilewright {

class DramTimingState {
 public:
  using Earliest = std::array<Cycles, kDramCommandCount>;
  struct State {
    std::vector<Earliest> bank, group;
    Earliest rank{};
    std::array<Cycles, kActivateWindow> activates{};  // ring of the latest
    int oldest_activate = 0;
  };

  explicit DramTimingState(const DramSpec& spec);

  // First legal clock of `command` on `bank` as far as timing goes. PREA and REF take any bank.
  Cycles earliest(DramCommand command, int bank) const {
    const int c = static_cast<int>(command);
    return std::max({state_.rank[c], state_.group[group_of_[bank]][c], state_.bank[bank][c]});
  }
  // The same for the best of all banks: no bank is earlier.
  Cycles earliest_anywhere(DramCommand command) const { return state_.rank[static_cast<int>(command)]; }
  void issue(DramCommand command, int bank, Cycles clock);
  void reset() { state_ = initial_; }

 private:
  void note_activate(Cycles clock);

  DramRulesByCommand rules_;
  std::vector<int> group_of_;  // bank -> bank group
  int activate_window_ = 0;    // tFAW
  State initial_, state_;
};

}  // namespace tilewright
