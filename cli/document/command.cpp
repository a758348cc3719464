// tilewright document man|bash: what the package installs besides the program. Not listed by --help.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/document/document.h"

namespace tilewright {

void add_document_command(CLI::App& app, const std::string& version) {
  auto kind = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand("document", "Print the manual page (man) or the completion script (bash)");
  sub->group("");
  sub->add_option("KIND", *kind, "man or bash")->required()->check(CLI::IsMember({"man", "bash"}));
  sub->callback(
      [kind, &app, version] { fmt::print("{}", *kind == "man" ? man_page(app, version) : bash_completion(app)); });
}

}  // namespace tilewright
