// Tilings of products that a plan computes on fewer cores than the chip has: a search of tilings gives every core a
// part, so that these have none but those of formulas.
#pragma once

#include <optional>

#include "planner/ir/plan.h"
#include "planner/search/tiling/prediction_table.h"

namespace tilewright {

// The options of a finished plan with predicted_tiling() of its products and convolutions on fewer cores, as many and
// the same as it uses for them; nothing: there are none, or none has a better one. What `asked` chooses stays, and so
// do sums that are cut over cores.
std::optional<PlanOptions> tilings_on_fewer_cores(const Plan& plan, const PlanOptions& asked, PredictionTable& table);

}  // namespace tilewright
