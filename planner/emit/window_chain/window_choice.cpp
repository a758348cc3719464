#include "planner/emit/window_chain/window_choice.h"

#include <algorithm>

#include "planner/emit/window_chain/window_areas.h"
#include "planner/emit/window_chain/window_lowering.h"
#include "planner/estimate/bandwidth.h"
#include "planner/estimate/group_stand_in.h"
#include "planner/estimate/group_time.h"
#include "planner/ir/directions.h"
#include "sim/base/stop.h"

namespace tilewright {
namespace {

// Halvings of the rows that fit which are tried: fewer overlap better, and cost more instructions.
constexpr int kRowSteps = 4;
// Visits whose instructions are counted: of these the first ones differ, the others take what the last of them do.
constexpr std::size_t kFirst = 4, kSecond = 12;

// Chooses for parts of one group, which all stand in the same plan.
class RowSearch {
 public:
  RowSearch(const Plan& plan, const OperatorGroup& group) : stand_in_(plan, group) {}

  std::optional<WindowRowChoice> choose(const BoxRange& output, int cores) {
    check_stop();
    if (!stand_in_.assign(output)) return std::nullopt;
    const WindowChain chain(stand_in_.plan(), stand_in_.group(), output);
    const double share = bandwidth_share(stand_in_.plan().hardware, cores);
    std::optional<WindowRowChoice> best;
    int tried = 0;
    for (std::int64_t rows = chain.rows();; rows = ceil_div(rows, std::int64_t{2})) {
      if (window_areas(chain, rows)) {
        const double time = cycles(chain, rows, share);
        if (best && time > best->cycles) break;
        best = WindowRowChoice{rows, time};
        if (++tried == kRowSteps) break;
      }
      if (rows == 1) break;
    }
    return best;
  }

  // Whether a core has room for one row at a time of the part.
  bool fits(const BoxRange& output) {
    return stand_in_.assign(output) &&
           window_areas(WindowChain(stand_in_.plan(), stand_in_.group(), output), 1).has_value();
  }

 private:
  double cycles(const WindowChain& chain, std::int64_t rows, double share) const {
    const std::size_t all = chain.visits(rows).size();
    GroupTimes times = times_of(rows, std::min(all, kFirst), share);
    if (all > kFirst) {
      const std::size_t second = std::min(all, kSecond);
      times = times.extended(times_of(rows, second, share),
                             static_cast<double>(all - kFirst) / static_cast<double>(second - kFirst));
    }
    return times.cycles(static_cast<double>(all));
  }
  GroupTimes times_of(std::int64_t rows, std::size_t visits, double share) const {
    GroupTimes times;
    for (const Instruction& instruction : lower_windows(stand_in_.plan(), stand_in_.group(), 0, rows, visits))
      times.add(stand_in_.plan().hardware, instruction, share);
    return times;
  }

  GroupStandIn stand_in_;
};

// Numbers of parts of `size` elements for up to `most` cores: those that make the largest part smaller than one fewer
// would.
std::vector<std::int64_t> part_counts(std::int64_t size, std::int64_t most) {
  std::vector<std::int64_t> counts;
  for (std::int64_t parts = 1; parts <= std::min(size, most); ++parts)
    if (parts == 1 || ceil_div(size, parts) < ceil_div(size, parts - 1)) counts.push_back(parts);
  return counts;
}

class GridSearch {
 public:
  GridSearch(const Plan& plan, const OperatorGroup& group, int cores)
      : op_(plan.graph.op(group.members.back())),
        shape_(plan.graph.tensor(op_.output).shape),
        granule_(directions_of(plan, op_).granule_m),
        most_channels_(channels_can_be_cut(plan.graph, group) ? cores : 1),
        cores_(cores),
        rows_(plan, group) {}

  std::optional<WindowGrid> run() {
    for (const std::int64_t images : part_counts(shape_[0], cores_))
      for (std::int64_t channels : part_counts(shape_[1] / granule_, std::min(most_channels_, cores_ / images))) {
        const std::int64_t left = cores_ / (images * channels);
        // Few cores more or less are no other choice.
        if (images * channels > 1 && left > 1 && cores_ % (images * channels) != 0) continue;
        consider({images, channels, part_counts(shape_[2], left).back()});
      }
    return best_;
  }

 private:
  std::vector<BoxRange> parts(const WindowGrid& grid) const {
    return cut_grid(shape_, {grid.images, grid.channels, grid.rows, 1}, {1, granule_, 1, 1});
  }

  // By the part in the middle, whose windows reach into those of its neighbours on both sides.
  void consider(WindowGrid grid) {
    const std::vector<BoxRange> all = parts(grid);
    const auto choice =
        rows_.choose(all[std::min<std::size_t>(all.size() - 1, grid.rows / 2)], static_cast<int>(all.size()));
    if (!choice || (best_ && choice->cycles >= best_->cycles)) return;
    grid.cycles = choice->cycles;
    if (std::all_of(all.begin(), all.end(), [&](const BoxRange& part) { return rows_.fits(part); })) best_ = grid;
  }

  const Operator& op_;
  const Shape& shape_;
  const std::int64_t granule_;
  const std::int64_t most_channels_;
  const std::int64_t cores_;
  RowSearch rows_;
  std::optional<WindowGrid> best_;
};

}  // namespace

std::optional<WindowRowChoice> choose_window_rows(const Plan& plan, const OperatorGroup& group, const BoxRange& output,
                                                  int cores) {
  return RowSearch(plan, group).choose(output, cores);
}

std::optional<WindowGrid> choose_window_grid(const Plan& plan, const OperatorGroup& group, int cores) {
  return GridSearch(plan, group, cores).run();
}

}  // namespace tilewright
