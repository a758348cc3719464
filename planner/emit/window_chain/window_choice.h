// How many rows at a time a group of windows is walked by, and which cores compute which part: by predicted time, the
// model of time (planner/estimate) applied to the instructions that the choice leads to.
#pragma once

#include <optional>

#include "planner/ir/group.h"

namespace tilewright {

struct WindowRowChoice {
  std::int64_t rows = 0;
  double cycles = 0;  // predicted, core clocks
};
// The fastest number of rows for a part of the group's result, `cores` such parts at work; nothing when none fits.
std::optional<WindowRowChoice> choose_window_rows(const Plan& plan, const OperatorGroup& group, const BoxRange& output,
                                                  int cores);

// Parts of the group's result: images by rows, and by channels where no member is then computed twice.
struct WindowGrid {
  std::int64_t images = 1, channels = 1, rows = 1;
  double cycles = 0;  // predicted, of a part between two others
};
std::optional<WindowGrid> choose_window_grid(const Plan& plan, const OperatorGroup& group, int cores);

}  // namespace tilewright
