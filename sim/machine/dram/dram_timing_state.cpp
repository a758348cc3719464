#include "sim/machine/dram/dram_timing_state.h"

#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr Cycles kLongAgo = std::numeric_limits<Cycles>::min() / 2;

}  // namespace

DramTimingState::DramTimingState(const DramSpec& spec) : activate_window_(spec.timing.FAW) {
  const DramRulesByCommand rules = group_by_preceding(timing_rules(spec.timing));
  const int banks = spec.bank_groups * spec.banks_per_group;
  for (int bank = 0; bank < banks; ++bank) group_of_.push_back(bank / spec.banks_per_group);
  find_effects(rules);
  find_column_gaps(rules);
  Earliest unlimited;
  unlimited.fill(kLongAgo);
  initial_.bank.assign(banks, unlimited);
  initial_.group.assign(spec.bank_groups, unlimited);
  initial_.rank = unlimited;
  initial_.activates.fill(kLongAgo);
  state_ = initial_;
}

void DramTimingState::find_effects(const DramRulesByCommand& rules) {
  for (int command = 0; command < kDramCommandCount; ++command) {
    Effects& effects = effects_[command];
    std::vector<Effect>* const scopes[] = {&effects.bank, &effects.group, &effects.rank};
    for (const DramRule& rule : rules[command])
      scopes[static_cast<int>(rule.scope)]->push_back({static_cast<int>(rule.following), rule.distance});
  }
}

void DramTimingState::find_column_gaps(const DramRulesByCommand& rules) {
  for (const DramCommand column : {DramCommand::kRead, DramCommand::kWrite}) {
    for (const DramRule& rule : rules[static_cast<int>(column)]) {
      if (rule.following != column) continue;
      SIM_CHECK(rule.scope != DramScope::kBank, "{} holds for one bank, columns are paced by bank groups", rule.name);
      const bool write = column == DramCommand::kWrite;
      column_gap_[write] = std::max<Cycles>(column_gap_[write], rule.distance);
      if (rule.scope == DramScope::kRank)
        rank_column_gap_[write] = std::max<Cycles>(rank_column_gap_[write], rule.distance);
    }
  }
}

void DramTimingState::note_activate(Cycles clock) {
  state_.activates[state_.oldest_activate] = clock;
  state_.oldest_activate = (state_.oldest_activate + 1) % kActivateWindow;
  Cycles& earliest = state_.rank[static_cast<int>(DramCommand::kActivate)];
  earliest = std::max(earliest, state_.activates[state_.oldest_activate] + activate_window_);
}

}  // namespace tilewright
