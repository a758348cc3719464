#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "cli/document/document.h"
#include "cli/shipped.h"

namespace tilewright {
namespace {

// "TEXT:{data,model}" -> {data, model}; nothing when any value will do.
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

// "--batch" and "-o": every way to write an option.
std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> all;
  for (const std::string& name : option.get_lnames()) all.push_back("--" + name);
  for (const std::string& name : option.get_snames()) all.push_back("-" + name);
  return all;
}

// Words that may stand where an argument is expected, besides files.
std::set<std::string> argument_words(const CLI::App& command) {
  std::set<std::string> words;
  for (const CLI::Option* argument : arguments_of(command)) {
    for (const std::string& choice : choices_of(*argument)) words.insert(choice);
    for (const ShippedKind& kind : shipped_kinds())
      if (argument->get_name(true) == kind.argument)
        for (const std::string& name : shipped_names(kind.kind)) words.insert(name);
  }
  return words;
}

// Lines of a case on "COMMAND:OPTION before the cursor": what may stand behind an option that takes a value.
std::string value_lines(const Command& command) {
  std::string lines;
  for (const CLI::Option* option : options_of(*command.app))
    if (option->get_type_size() != 0) {
      std::vector<std::string> patterns;
      for (const std::string& name : spellings(*option)) patterns.push_back(fmt::format("'{}:{}'", command.path, name));
      lines += fmt::format("    {}) words='{}' ;;\n", fmt::join(patterns, "|"), fmt::join(choices_of(*option), " "));
    }
  return lines;
}

std::string option_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : options_of(command))
    for (const std::string& name : spellings(*option)) words.push_back(name);
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

// Cases of a command that only has sub-commands: "db) words='build ...'".
std::string group_lines(const CLI::App& app) {
  std::string lines;
  for (const CLI::App* command : listed_commands(app))
    if (const auto below = listed_commands(*command); !below.empty())
      lines += fmt::format("    {}) words='{}' ;;\n", command->get_name(), fmt::join(names_of(below), " "));
  return lines;
}

constexpr const char* kScript = R"(# bash completion of tilewright, made from its --help (tilewright document bash)
_tilewright() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{commands} --help --version' -- "$current"))
    return
  fi
  case $command in
{groups}  esac
  if [ -n "$words" ]; then
    if [ "$COMP_CWORD" -eq 2 ]; then
      COMPREPLY=($(compgen -W "$words" -- "$current"))
      return
    fi
    command="$command ${{COMP_WORDS[2]}}" words=
  fi
  case $command:$before in
{values}    *)
      if [[ $current == -* ]]; then
        case $command in
{options}        esac
        COMPREPLY=($(compgen -W "$words" -- "$current"))
        return
      fi
      case $command in
{arguments}      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
}}
complete -o filenames -F _tilewright tilewright
)";

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string values, options, arguments;
  for (const Command& command : commands_of(app)) {
    values += value_lines(command);
    options += fmt::format("          '{}') words='{}' ;;\n", command.path, option_words(*command.app));
    if (const auto words = argument_words(*command.app); !words.empty())
      arguments += fmt::format("        '{}') words='{}' ;;\n", command.path, fmt::join(words, " "));
  }
  return fmt::format(kScript, fmt::arg("commands", fmt::join(names_of(listed_commands(app)), " ")),
                     fmt::arg("groups", group_lines(app)), fmt::arg("values", values), fmt::arg("options", options),
                     fmt::arg("arguments", arguments));
}

}  // namespace tilewright
