// From which clock on each command is legal, kept up to date command by command from the rules.
#pragma once

#include <algorithm>

#include "sim/hw/timing/dram_timing_table.h"

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
  // The parts of it: what the bank itself forbids; what its group and all banks together forbid.
  Cycles earliest_in_bank(DramCommand command, int bank) const { return state_.bank[bank][static_cast<int>(command)]; }
  Cycles earliest_in_group(DramCommand command, int bank) const {
    const int c = static_cast<int>(command);
    return std::max(state_.rank[c], state_.group[group_of_[bank]][c]);
  }
  int group_of(int bank) const { return group_of_[bank]; }
  // Clocks between two reads, or two writes, of one bank group; of any two banks.
  Cycles column_gap(bool write) const { return column_gap_[write]; }
  Cycles rank_column_gap(bool write) const { return rank_column_gap_[write]; }
  void issue(DramCommand command, int bank, Cycles clock) {
    issue_in_group(command, bank, clock);
    issue_in_rank(command, clock);
  }
  // The parts of it: what the command forbids its bank and bank group; what it forbids all banks.
  void issue_in_group(DramCommand command, int bank, Cycles clock) {
    const Effects& effects = effects_[static_cast<int>(command)];
    apply(effects.bank, state_.bank[bank], clock);
    apply(effects.group, state_.group[group_of_[bank]], clock);
  }
  void issue_in_rank(DramCommand command, Cycles clock) {
    apply(effects_[static_cast<int>(command)].rank, state_.rank, clock);
    if (command == DramCommand::kActivate) note_activate(clock);
  }
  void reset() { state_ = initial_; }

 private:
  struct Effect {
    int following, distance;
  };
  // What a command forbids, by scope.
  struct Effects {
    std::vector<Effect> bank, group, rank;
  };

  static void apply(const std::vector<Effect>& effects, Earliest& table, Cycles clock) {
    for (const Effect& effect : effects)
      table[effect.following] = std::max(table[effect.following], clock + effect.distance);
  }
  void find_effects(const DramRulesByCommand& rules);
  void find_column_gaps(const DramRulesByCommand& rules);
  void note_activate(Cycles clock);

  std::array<Effects, kDramCommandCount> effects_;
  std::vector<int> group_of_;  // bank -> bank group
  int activate_window_ = 0;    // tFAW
  std::array<Cycles, 2> column_gap_{1, 1}, rank_column_gap_{1, 1};
  State initial_, state_;
};

}  // namespace tilewright
