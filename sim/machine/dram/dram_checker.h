// Replays issued commands against the timing rules and the state of the rows, one command at a time and with no state
// shared with the scheduler: what the checker accepts, a device would have accepted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/hw/timing/dram_timing_table.h"

namespace tilewright {

class DramChecker {
 public:
  explicit DramChecker(const DramSpec& spec);

  // Takes the command into the history; says what is wrong with it, if anything is.
  std::optional<std::string> check(const IssuedCommand& command);
  // First complaint about a whole trace.
  static std::optional<std::string> check_all(const DramSpec& spec, const std::vector<IssuedCommand>& trace);

 private:
  std::optional<std::string> check_bus(const IssuedCommand& command) const;
  std::optional<std::string> check_rows(const IssuedCommand& command) const;
  std::optional<std::string> check_rule(const DramRule& rule, const IssuedCommand& command) const;
  bool same_scope(DramScope scope, const IssuedCommand& a, const IssuedCommand& b) const;
  void apply(const IssuedCommand& command);

  const int banks_per_group_;
  const bool dual_command_bus_;
  const std::vector<DramRule> rules_;
  std::vector<IssuedCommand> history_;
  std::vector<Address> open_rows_;  // -1: closed
};

}  // namespace tilewright
