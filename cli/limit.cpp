// tilewright limit HARDWARE WORKLOAD: the least time of each product, however it is split over the cores.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/workload_options.h"
#include "planner/estimate/communication_bound.h"
#include "planner/ir/contraction.h"
#include "planner/report/run/text.h"
#include "sim/base/text_list.h"

namespace tilewright {
namespace {

void print_limit(const Plan& plan, OperatorId id, int cores) {
  const CommunicationBound limit = communication_bound(plan, id, cores);
  const CommunicationBound least = least_communication_bound(plan, id, cores);
  fmt::print("{}: at least {} cycles on {} cores: multiply-adds {}, DRAM {} for {}, ports of the clusters {}",
             plan.graph.op(id).name, cycles_text(limit.cycles()), limit.cores, cycles_text(limit.compute_cycles),
             cycles_text(limit.dram_cycles), bytes_text(static_cast<Bytes>(limit.dram_bytes)),
             cycles_text(limit.port_cycles));
  fmt::print("{}\n",
             least.cores == cores ? "" : fmt::format("; on {} of them {}", least.cores, cycles_text(least.cycles())));
}

}  // namespace

void add_limit_command(CLI::App& app) {
  auto command = std::make_shared<WorkloadOptions>();
  CLI::App* sub = app.add_subcommand(
      "limit", "Print the lower bound on the time of each matrix product on some cores, however it is split");
  add_workload_options(*sub, *command);
  sub->callback([command] {
    const Plan plan = plan_workload(*command, kNeededForLimit);
    const int cores = plan.options.cores > 0 ? plan.options.cores : plan.hardware.cores();
    std::string others;
    for (const OperatorId id : plan.order) {
      if (has_communication_bound(plan, id)) {
        print_limit(plan, id, cores);
      } else if (is_contraction(plan.graph.op(id).kind)) {
        append_item(others, ", ", plan.graph.op(id).name);
      }
    }
    if (!others.empty()) fmt::print("no limit for convolutions and batches of products: {}\n", others);
  });
}

}  // namespace tilewright
