#include "planner/passes/pass.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/passes/fold.h"
#include "planner/passes/fuse.h"
#include "planner/passes/link.h"
#include "planner/passes/lower.h"
#include "planner/passes/place.h"
#include "planner/passes/split.h"
#include "planner/passes/tile.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

void check_name(const std::string& name) {
  if (name.empty()) return;
  std::string known;
  for (const Pass& pass : all_passes()) {
    if (pass.name == name) return;
    known += fmt::format("{}{}", known.empty() ? "" : "|", pass.name);
  }
  throw UserError("--dump-after", fmt::format("got '{}', expected {}", name, known));
}

}  // namespace

const std::vector<Pass>& all_passes() {
  static const std::vector<Pass> passes = {
      {"fold", fold, verify_fold}, {"fuse", fuse, verify_fuse},    {"split", split, verify_split},
      {"tile", tile, verify_tile}, {"place", place, verify_place}, {"lower", lower, verify_lower},
      {"link", link, verify_link},
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
    pass.run(plan);
    pass.verify(plan);
    if (pass_options.dump && pass.name == pass_options.dump_after) pass_options.dump(pass.name, plan);
  }
  return plan;
}

}  // namespace tilewright
