// Which command a controller issues next.
#include "sim/machine/dram/dram_controller.h"

namespace tilewright {

void DramController::choose_direction() {
  const int reads = state_.queue.size(false), writes = state_.queue.size(true);
  if (!state_.draining)
    state_.draining = writes > drain_above_ || reads == 0;
  else
    state_.draining = !(writes < drain_below_ && reads != 0);
}

DramChoice DramController::choose() {
  DramCandidates found =
      state_.scheduler.find(state_.queue, timing_, state_.draining, state_.next_column, state_.next_row);
  // From the clock it is due a refresh goes before the queues; only requests with an opened row go before it.
  if (found.column.clock >= state_.refresh_due) found.column = {};
  if (found.row.clock >= state_.refresh_due) found.row = {};
  DramChoice refresh;
  if (state_.refresh_due != kNeverCycle)
    refresh = refresh_choice(state_.queue, timing_, std::max(state_.refresh_due, state_.next_row));
  return spec_.dual_command_bus ? choose_dual(found, refresh) : choose_single(found, refresh);
}

DramChoice DramController::choose_single(const DramCandidates& found, const DramChoice& refresh) const {
  const DramChoice& queued = found.column.before(found.row) ? found.column : found.row;
  DramChoice best = found.active;
  if (refresh.clock < best.clock) best = refresh;
  if (queued.clock < best.clock) best = queued;
  return best;
}

// Each clock the column bus is served first, then the row bus.
DramChoice DramController::choose_dual(const DramCandidates& found, const DramChoice& refresh) const {
  const DramChoice& column = found.active.clock <= found.column.clock ? found.active : found.column;
  const DramChoice& row = refresh.clock <= found.row.clock ? refresh : found.row;
  return column.clock <= row.clock ? column : row;
}

}  // namespace tilewright
