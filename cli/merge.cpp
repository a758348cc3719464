// tilewright merge DIR...: one result from the folders of a study's slices.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "planner/report/study/study_folder.h"
#include "planner/report/study/study_results.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

struct MergeCommand {
  std::vector<std::string> folders;
  std::string output;
  bool partial = false;
};

void check_complete(const Study& study, const PointResults& results) {
  const OpenWork work = open_work(study, results);
  if (work.open.empty()) return;
  std::string some;
  for (std::size_t i = 0; i < work.open.size() && i < 5; ++i)
    some += fmt::format("{}{}", i == 0 ? "" : ", ", work.open[i]);
  throw UserError("merge", fmt::format("{} of {} points of round {} are missing ({}{}); measure them with the same "
                                       "tilewright explore, or take what is there with --partial",
                                       work.open.size(), work.all.size(), work.round + 1, some,
                                       work.open.size() > 5 ? ", ..." : ""));
}

void merge(const MergeCommand& command) {
  std::vector<FoundStudy> found;
  for (const std::string& folder : command.folders) found.push_back(find_study(folder));
  const PointResults results = load_points(found);
  const Study& study = found.front().study;
  if (!command.partial) check_complete(study, results);
  const std::string output = command.output.empty() ? command.folders.front() : command.output;
  write_study_results(output, study, results);
  fmt::print("{}Results: {}/results.json, results.csv\n", study_text(study, results), output);
}

}  // namespace

void add_merge_command(CLI::App& app) {
  auto command = std::make_shared<MergeCommand>();
  CLI::App* sub = app.add_subcommand("merge", "Collect the points of a study, wherever its slices were measured");
  sub->add_option("DIR", command->folders, "folders of tilewright explore")->required();
  sub->add_option("-o,--output", command->output, "folder of the results; without it the first one")->type_name("DIR");
  sub->add_flag("--partial", command->partial, "use the finished points of an unfinished study");
  sub->callback([command] { merge(*command); });
}

}  // namespace tilewright
