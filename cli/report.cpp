// tilewright report FOLDER... -o FILE: result folders as one page that opens offline.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "planner/report/study/html.h"
#include "sim/base/text_file.h"

namespace tilewright {

void add_report_command(CLI::App& app) {
  struct ReportCommand {
    std::vector<std::string> folders;
    std::string output = "report.html";
  };
  auto c = std::make_shared<ReportCommand>();
  CLI::App* sub = app.add_subcommand("report", "Draw result folders of runs and studies as one HTML page");
  sub->add_option("FOLDER", c->folders, "folders written by run, exec or explore")->required();
  sub->add_option("-o,--output", c->output, "the page")->capture_default_str();
  sub->callback([c] {
    check_output_file(c->output);
    write_text_file(c->output, html_report(c->folders));
    fmt::print("Report: {}\n", c->output);
  });
}

}  // namespace tilewright
