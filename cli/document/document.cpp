// tilewright document man|bash: what the package installs besides the program. Not listed by --help.
#include "cli/document/document.h"

#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"

namespace tilewright {

void add_document_command(CLI::App& app, const std::string& version) {
  auto kind = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand("document", "Print the manual page (man) or the completion script (bash)");
  sub->group("");
  sub->add_option("KIND", *kind, "man or bash")->required()->check(CLI::IsMember({"man", "bash"}));
  sub->callback(
      [kind, &app, version] { fmt::print("{}", *kind == "man" ? man_page(app, version) : bash_completion(app)); });
}

std::vector<const CLI::App*> listed_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<Command> commands_of(const CLI::App& app, const std::string& path) {
  std::vector<Command> commands;
  for (const CLI::App* command : listed_commands(app)) {
    const std::string name = path + command->get_name();
    const std::vector<Command> below = commands_of(*command, name + " ");
    if (below.empty()) commands.push_back({name, command});
    commands.insert(commands.end(), below.begin(), below.end());
  }
  return commands;
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

namespace {

// Plain text for roff: no character of it is an escape or a request.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n'))
      escaped += std::string("\\&") + c;
    else
      escaped += c;
  }
  return escaped;
}

std::string option_text(const CLI::Option& option) {
  std::string head = "\\fB" + roff(option.get_name(option.get_positional(), true)) + "\\fR";
  const std::string type = option.get_type_size() == 0 || option.get_positional() ? "" : option.get_type_name();
  if (!type.empty()) head += " \\fI" + roff(type) + "\\fR";
  if (option.get_type_size() != 0 && !option.get_default_str().empty())
    head += " (default: " + roff(option.get_default_str()) + ")";
  return fmt::format(".TP\n{}\n{}\n", head, roff(option.get_description()));
}

std::string command_text(const Command& command) {
  std::string heading = command.path, text;
  for (const CLI::Option* option : arguments_of(*command.app))
    heading += option->get_required() ? " " + option->get_name(true) : fmt::format(" [{}]", option->get_name(true));
  text =
      fmt::format(".SS \"{} [OPTIONS]\"\n{}.\n", roff("tilewright " + heading), roff(command.app->get_description()));
  for (const CLI::Option* option : arguments_of(*command.app)) text += option_text(*option);
  for (const CLI::Option* option : options_of(*command.app)) text += option_text(*option);
  return text;
}

constexpr const char* kFiles = R"(.SH FILES
.TP
\fI/usr/share/tilewright/hw_configs\fR, \fItraces\fR
Chips, studies, workloads and programs that commands find by name, whatever the working directory; a path to a file that
exists, or a name with a slash, is taken as a path.
.SH EXIT STATUS
0: done. 1: a fault of tilewright, or an output that differs from the reference (\fB\-\-check\fR). 2: a mistake in the
arguments or in a file, or more work than allowed (\fB\-\-max\-seconds\fR and its like), named in one message on standard
error. 130: interrupted (Ctrl\-C, SIGTERM); nothing is half-written.
)";

}  // namespace

std::string man_page(const CLI::App& app, const std::string& version) {
  std::string text = fmt::format(
      ".TH TILEWRIGHT 1 \"\" \"tilewright {}\" \"User Commands\"\n.SH NAME\ntilewright \\- {}\n.SH SYNOPSIS\n"
      ".B tilewright\n\\fICOMMAND\\fR [\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n.SH COMMANDS\n",
      version, roff(app.get_description()));
  for (const Command& command : commands_of(app)) text += command_text(command);
  text += ".SH OPTIONS\nOf every command, before or behind its own:\n";
  for (const CLI::Option* option : options_of(app)) text += option_text(*option);
  return text + kFiles;
}

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
    if (is_unset(*option)) option->default_str("");
  for (CLI::App* command : app.get_subcommands({})) hide_unset_defaults(*command);
}

}  // namespace tilewright
