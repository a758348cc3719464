// tilewright constants: the planner's constants, tab-separated, for scripts/print_constants; and those that the
// environment sets.
#include <fmt/format.h>

#include <cstdlib>

#include "cli/commands.h"
#include "cli/tell.h"
#include "planner/constants/constant_table.h"

namespace tilewright {
namespace {

constexpr const char* kConstantsVariable = "TILEWRIGHT_CONSTANTS";

void print_table() {
  fmt::print("name\tvalue\twhole\tunit\tleast\tmost\tmeaning\torigin\n");
  for (const Constant& c : constant_table())
    fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", c.name, value_of(c, constants()),
               std::holds_alternative<std::int64_t Constants::*>(c.member) ? "yes" : "no", c.unit, c.least, c.most,
               c.meaning, c.origin);
}

}  // namespace

void set_constants_of_environment() {
  const char* text = std::getenv(kConstantsVariable);
  if (!text || !*text) return;
  set_constants(text, kConstantsVariable);
  for (const std::string& changed : changed_constants())
    tell("experiment: {} sets {}; results are not those of the planner as it is\n", kConstantsVariable, changed);
}

void add_constants_command(CLI::App& app) {
  app.add_subcommand("constants", "Print the planner's constants, tab-separated")->group("")->callback(print_table);
}

}  // namespace tilewright
