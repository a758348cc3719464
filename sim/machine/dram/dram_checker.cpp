#include "sim/machine/dram/dram_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright {
namespace {

constexpr Address kClosed = -1;

std::string text_of(const IssuedCommand& c) {
  return fmt::format("{} bank {} row {} at clock {}", name_of(c.command), c.bank, c.row, c.clock);
}

}  // namespace

DramChecker::DramChecker(const DramSpec& spec)
    : banks_per_group_(spec.banks_per_group),
      dual_command_bus_(spec.dual_command_bus),
      rules_(timing_rules(spec.timing)),
      open_rows_(spec.bank_groups * spec.banks_per_group, kClosed) {}

std::optional<std::string> DramChecker::check(const IssuedCommand& command) {
  std::optional<std::string> problem = check_bus(command);
  for (const DramRule& rule : rules_) {
    if (problem) break;
    if (rule.following == command.command) problem = check_rule(rule, command);
  }
  if (!problem) problem = check_rows(command);
  apply(command);
  return problem;
}

std::optional<std::string> DramChecker::check_all(const DramSpec& spec, const std::vector<IssuedCommand>& trace) {
  DramChecker checker(spec);
  for (const IssuedCommand& command : trace)
    if (auto problem = checker.check(command)) return problem;
  return std::nullopt;
}

std::optional<std::string> DramChecker::check_bus(const IssuedCommand& command) const {
  for (auto last = history_.rbegin(); last != history_.rend() && last->clock >= command.clock; ++last) {
    if (last->clock > command.clock) return text_of(command) + " is out of order";
    if (!dual_command_bus_ || is_column(last->command) == is_column(command.command))
      return text_of(command) + " finds the command bus taken by " + text_of(*last);
  }
  return std::nullopt;
}

std::optional<std::string> DramChecker::check_rows(const IssuedCommand& command) const {
  const Address open = open_rows_[command.bank];
  switch (command.command) {
    case DramCommand::kActivate:
      if (open != kClosed) return text_of(command) + " on an open bank";
      break;
    case DramCommand::kRead:
    case DramCommand::kWrite:
      if (open != command.row) return text_of(command) + fmt::format(" while row {} is open", open);
      break;
    case DramCommand::kRefresh:
      if (std::any_of(open_rows_.begin(), open_rows_.end(), [](Address row) { return row != kClosed; }))
        return text_of(command) + " with an open bank";
      break;
    case DramCommand::kPrecharge:
    case DramCommand::kPrechargeAll:
      break;
  }
  return std::nullopt;
}

std::optional<std::string> DramChecker::check_rule(const DramRule& rule, const IssuedCommand& command) const {
  int seen = 0;
  for (auto past = history_.rbegin(); past != history_.rend(); ++past) {
    if (command.clock - past->clock >= rule.distance) return std::nullopt;
    if (past->command != rule.preceding || !same_scope(rule.scope, *past, command)) continue;
    if (++seen == rule.window)
      return fmt::format("{} is {} clocks after {}; {} asks for {}", text_of(command), command.clock - past->clock,
                         text_of(*past), rule.name, rule.distance);
  }
  return std::nullopt;
}

bool DramChecker::same_scope(DramScope scope, const IssuedCommand& a, const IssuedCommand& b) const {
  switch (scope) {
    case DramScope::kBank:
      return a.bank == b.bank;
    case DramScope::kBankGroup:
      return a.bank / banks_per_group_ == b.bank / banks_per_group_;
    case DramScope::kRank:
      return true;
  }
  return true;
}

void DramChecker::apply(const IssuedCommand& command) {
  history_.push_back(command);
  if (command.command == DramCommand::kActivate) open_rows_[command.bank] = command.row;
  if (command.command == DramCommand::kPrecharge) open_rows_[command.bank] = kClosed;
  if (command.command == DramCommand::kPrechargeAll) std::fill(open_rows_.begin(), open_rows_.end(), kClosed);
}

}  // namespace tilewright
