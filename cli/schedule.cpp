// tilewright schedule HARDWARE WORKLOAD: the order of a network's operators that takes the chip the least time.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/tell.h"
#include "cli/workload_options.h"
#include "planner/import/import.h"
#include "planner/measure/worker_pool.h"
#include "planner/report/run/schedule_text.h"
#include "planner/search/order/order_file.h"
#include "sim/base/text_file.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

struct ScheduleCommand : WorkloadOptions {
  std::string output, dot, csv, strategy = "beam", estimate = "beside";
  Bytes most_memory_kib = 0;
  ScheduleOptions options;
};

SchedulePart planned_whole(const ScheduleCommand& command) {
  const Hardware hardware = load_hardware(command.hardware);
  const Graph graph = import_workload(command.workload, import_options(command));
  return naming_workload(command.workload, [&] {
    return whole_part(typed_graph(graph, hardware, command), hardware, plan_options(command));
  });
}

void write_files(const ScheduleCommand& command, const SchedulePart& whole, const Schedule& schedule) {
  const auto& linked = schedule.linked;
  if (!command.output.empty())
    write_text_file(command.output, to_yaml({whole.tiled.graph.name, labels_of(whole, linked.order)},
                                            fmt::format("{} cycles{} on {}; {} as imported", linked.time.cycles,
                                                        schedule.predicted ? ", predicted and not measured," : "",
                                                        whole.tiled.hardware.name, schedule.imported.time.cycles)));
  if (!command.dot.empty()) write_text_file(command.dot, to_dot(whole, schedule));
  if (!command.csv.empty()) write_text_file(command.csv, schedule_csv(whole, schedule));
}

void run(ScheduleCommand& command) {
  for (const std::string& file : {command.output, command.dot, command.csv})
    if (!file.empty()) check_output_file(file);
  command.options.strategy = *parse_order_strategy(command.strategy);
  command.options.estimate_only = command.estimate == "only";
  command.options.most_memory = command.most_memory_kib * 1024;
  const SchedulePart whole = planned_whole(command);
  const auto begin = std::chrono::steady_clock::now();
  Schedule schedule;
  {
    Progress progress("schedule", "orders", 0);
    schedule = find_schedule(whole, command.options,
                             [&](std::int64_t done, std::int64_t most) { progress.update(done, most); });
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  write_files(command, whole, schedule);
  fmt::print("{}", schedule_text(whole, schedule, command.options));
  // Not a result: it differs from run to run.
  tell("search time      {:.1f} s with {} workers\n", seconds.count(), command.options.jobs);
  if (!command.output.empty()) fmt::print("\nOrder: {}\n", command.output);
}

}  // namespace

void add_schedule_command(CLI::App& app) {
  auto command = std::make_shared<ScheduleCommand>();
  ScheduleOptions& options = command->options;
  options.jobs = default_jobs();
  CLI::App* sub = app.add_subcommand("schedule", "Search the order of a network's operators by measured time");
  add_workload_options(*sub, *command);
  sub->add_option("--strategy", command->strategy, "all, random, beam or mcts")
      ->check(CLI::IsMember({"all", "random", "beam", "mcts"}));
  sub->add_option("--window", options.parts.window, "key nodes per sub-graph")->check(at_least(1));
  sub->add_option("--min-nodes", options.parts.min_nodes, "sub-graphs of fewer operators are merged")
      ->check(at_least(1));
  sub->add_option("--merged-orders", options.parts.most_orders,
                  "orders that a sub-graph may have after small ones were merged into it")
      ->check(at_least(1));
  sub->add_option("--part-nodes", options.parts.most_nodes,
                  "operators from which a sub-graph without a key node is cut where fewest results are read across")
      ->check(at_least(4));
  sub->add_option("--budget", options.budget,
                  "runs of the whole network, at most; where most sub-graphs come again, orders measured of each")
      ->check(at_least(1));
  sub->add_option("--predictions", options.predictions,
                  "orders predicted for each that may be measured, by beam and mcts")
      ->check(CLI::Range(1, 1000));
  sub->add_option("--estimate", command->estimate,
                  "beside: predictions choose what is measured; only: nothing is measured, T1 and T2 choose what the "
                  "queue model predicts")
      ->check(CLI::IsMember({"beside", "only"}));
  sub->add_option("--linked", options.linked,
                  "other orders of each sub-graph that was measured alone to try in the linked network, at most")
      ->check(CLI::Range(0, 1000));
  sub->add_option("--stop-below", options.stop_below, "end with the first order of the network that takes fewer cycles")
      ->check(at_least(1))
      ->default_str("");
  sub->add_flag("--least-memory", options.least_memory,
                "measure the order in which tensors need least memory at once as well");
  sub->add_option("--most-memory-kib", command->most_memory_kib,
                  "choose the fastest order measured whose tensors need no more at once; with --least-memory")
      ->check(at_least(1))
      ->default_str("");
  sub->add_option("--jobs", options.jobs, "worker processes; default: one per processor")
      ->check(at_least(1))
      ->default_str("");
  sub->add_option("--seed", options.seed, "of the random choices");
  sub->add_option("-o,--output", command->output, "write the order, for run --order")->type_name("FILE");
  sub->add_option("--dot", command->dot, "write the graph with key nodes and sub-graphs, for graphviz")
      ->type_name("FILE");
  sub->add_option("--csv", command->csv, "write every order timed, with its predictions")->type_name("FILE");
  sub->callback([command] { run(*command); });
}

}  // namespace tilewright
