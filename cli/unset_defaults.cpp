#include "cli/commands.h"

namespace tilewright {
namespace {

bool is_refused(CLI::Option& option, std::string value) {
  for (int i = 0;; ++i) try {
      if (!(*option.get_validator(i))(value).empty()) return true;
    } catch (const CLI::OptionNotFound&) {
      return false;
    }
}

bool is_unset(CLI::Option& option) {
  const std::string value = option.get_default_str();
  return value == "[]" || (!value.empty() && is_refused(option, value));
}

}  // namespace

void hide_unset_defaults(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (option->nonpositional() && is_unset(*option)) option->default_str("");
  for (CLI::App* command : app.get_subcommands({})) hide_unset_defaults(*command);
}

}  // namespace tilewright
