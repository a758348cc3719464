#include "sim/model/dram_timing_state.h"

namespace tilewright {
namespace {

constexpr Cycles kLongAgo = std::numeric_limits<Cycles>::min() / 2;

}  // namespace

DramTimingState::DramTimingState(const DramSpec& spec)
    : rules_(group_by_preceding(timing_rules(spec.timing))), activate_window_(spec.timing.FAW) {
  const int banks = spec.bank_groups * spec.banks_per_group;
  for (int bank = 0; bank < banks; ++bank) group_of_.push_back(bank / spec.banks_per_group);
  Earliest unlimited;
  unlimited.fill(kLongAgo);
  initial_.bank.assign(banks, unlimited);
  initial_.group.assign(spec.bank_groups, unlimited);
  initial_.rank = unlimited;
  initial_.activates.fill(kLongAgo);
  state_ = initial_;
}

void DramTimingState::issue(DramCommand command, int bank, Cycles clock) {
  Earliest* const tables[] = {&state_.bank[bank], &state_.group[group_of_[bank]], &state_.rank};
  for (const DramRule& rule : rules_[static_cast<int>(command)]) {
    Cycles& earliest = (*tables[static_cast<int>(rule.scope)])[static_cast<int>(rule.following)];
    earliest = std::max(earliest, clock + rule.distance);
  }
  if (command == DramCommand::kActivate) note_activate(clock);
}

void DramTimingState::note_activate(Cycles clock) {
  state_.activates[state_.oldest_activate] = clock;
  state_.oldest_activate = (state_.oldest_activate + 1) % kActivateWindow;
  Cycles& earliest = state_.rank[static_cast<int>(DramCommand::kActivate)];
  earliest = std::max(earliest, state_.activates[state_.oldest_activate] + activate_window_);
}

}  // namespace tilewright
