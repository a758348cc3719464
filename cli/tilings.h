// `run --tilings`: a plan whose matmuls and convolutions are tiled by a database, and what that was good for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/ir/plan.h"
#include "planner/search/database/tiling_lookup.h"

namespace tilewright {

// Which hits of the database are used.
enum class TilingReach : std::uint8_t {
  // Those that should take less than the planner's own way even with the prediction's error, or all of the very shapes,
  // where the whole network is measured to be faster with them.
  kGain,
  kLinear,  // those in the linear region of their record, where its cost is known to carry over
  kAll
};
// "gain" "linear" "all"; UserError naming `where` for another text.
TilingReach parse_tiling_reach(const std::string& text, const std::string& where);

struct TilingUse {
  OperatorId op = 0;
  std::string shape;  // empty: no shape the database could have
  std::optional<Hit> hit;
  double planned_cycles = 0;  // predicted for the planner's own tiling; 0: in a group, without a tiling of its own
  bool used = false;          // else tiled as without the database
  // With --tilings-loss, of this operator alone: with the hit's tiling, and with that of a search.
  Cycles reused = 0, searched = 0;
};

struct TiledPlan {
  Plan plan;
  std::vector<TilingUse> uses;  // every contraction, in the order of execution
};

// plan_network() with the records that are used. The tiling of an operator says in its reason where it came from
// (operators.csv, summary.json). `jobs` processes measure; the caller must not have elaborated a chip itself.
TiledPlan with_tilings(const Graph& graph, const Hardware& hardware, const PlanOptions& options,
                       const TilingIndex& index, TilingReach reach, int jobs);

// Measures every distinct hit that is used and a search of `budget` measurements beside it, in worker processes.
void measure_losses(TiledPlan& tiled, Objective objective, std::int64_t budget, int jobs);

std::string tilings_text(const TiledPlan& tiled);

}  // namespace tilewright
