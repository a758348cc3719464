#include "planner/passes/pass.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/passes/allocate/allocate.h"
#include "planner/passes/decompose/decompose.h"
#include "planner/passes/fold/fold.h"
#include "planner/passes/fuse/fuse.h"
#include "planner/passes/label/label_tensors.h"
#include "planner/passes/link/link.h"
#include "planner/passes/lower/lower.h"
#include "planner/passes/order/order.h"
#include "planner/passes/pack/pack.h"
#include "planner/passes/reduce_partials/reduce_partials.h"
#include "planner/passes/split/split.h"
#include "planner/passes/tile/tile.h"
#include "sim/base/error.h"
#include "sim/base/text_list.h"

namespace tilewright {
namespace {

void check_name(const std::string& name) {
  if (name.empty()) return;
  std::string known;
  for (const Pass& pass : all_passes()) {
    if (pass.name == name) return;
    append_item(known, "|", pass.name);
  }
  throw UserError("--dump-after", fmt::format("got '{}', expected {}", name, known));
}

void run_pass(const Pass& pass, Plan& plan) {
  pass.run(plan);
  pass.verify(plan);
}

}  // namespace

const std::vector<Pass>& all_passes() {
  static const std::vector<Pass> passes = {
      {"fold", fold, verify_fold},
      {"fuse", fuse, verify_fuse},
      {"decompose", decompose, verify_decompose},
      {"label", label, verify_label},
      {"split", split, verify_split},
      {"tile", tile, verify_tile},
      {"order", order, verify_order},
      {"allocate", allocate, verify_allocate},
      {"reduce_partials", reduce_partials, verify_reduce_partials},
      {"lower", lower, verify_lower},
      {"link", link, verify_link},
      {"pack", pack, verify_pack},
  };
  return passes;
}

Plan make_plan(const Graph& graph, const Hardware& hardware, const PlanOptions& options,
               const PassOptions& pass_options) {
  check_name(pass_options.dump_after);
  Plan plan;
  plan.graph = graph;
  plan.hardware = hardware;
  plan.options = options;
  for (const Pass& pass : all_passes()) {
    run_pass(pass, plan);
    if (pass_options.dump && pass.name == pass_options.dump_after) pass_options.dump(pass.name, plan);
    if (pass.name == pass_options.stop_after) break;
  }
  return plan;
}

void run_passes(Plan& plan, std::string_view after, std::string_view last) {
  auto pass = std::find_if(all_passes().begin(), all_passes().end(), [&](const Pass& p) { return p.name == after; });
  SIM_CHECK(pass != all_passes().end(), "no pass is called '{}'", after);
  while (++pass != all_passes().end()) {
    run_pass(*pass, plan);
    if (pass->name == last) break;
  }
}

}  // namespace tilewright
