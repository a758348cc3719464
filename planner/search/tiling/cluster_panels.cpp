#include "planner/search/tiling/cluster_panels.h"

#include <algorithm>
#include <map>
#include <set>

#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

using Items = std::vector<WorkItem>;

// Parts in rows of `columns`, of each all `sums` parts of its sum.
struct Grid {
  std::int64_t rows = 1, columns = 1, sums = 1;
};

// Columns are the parts along the last dimension that is cut.
std::int64_t columns_of(const Items& items) {
  for (std::size_t d = items.front().output.size(); d-- > 0;) {
    std::set<std::int64_t> begins;
    for (const WorkItem& item : items) begins.insert(item.output[d].begin);
    if (begins.size() > 1) return std::ssize(begins);
  }
  return 1;
}

std::optional<Grid> grid_of(const Items& items) {
  const auto parts = std::ssize(items);
  Grid grid{.columns = columns_of(items)};
  grid.sums = std::ranges::count(items, items.front().output, &WorkItem::output);
  grid.rows = parts / grid.columns / grid.sums;
  if (grid.rows * grid.columns * grid.sums != parts) return {};
  for (std::int64_t i = 1; i < parts; ++i) {  // row by row
    const bool same = items[i].output == items[i - 1].output;
    if (same != (i % grid.sums != 0) || (!same && !(items[i - 1].output < items[i].output))) return {};
  }
  return grid;
}

// What the parts read of one operand.
struct BoxReads {
  std::vector<int> box;         // by part: which of the boxes
  std::vector<double> bytes{};  // by box
};

BoxReads boxes_read(const Plan& plan, OperatorId id, const Items& items, std::size_t input) {
  BoxReads reads;
  std::map<BoxRange, int> known;
  const Operator& op = plan.graph.op(id);
  const auto element = static_cast<double>(bytes_of(plan.tensors[op.inputs[input]].type));
  for (const WorkItem& item : items) {
    const BoxRange box = required_input(plan, op, input, item);
    const auto [at, is_new] = known.try_emplace(box, static_cast<int>(reads.bytes.size()));
    if (is_new) reads.bytes.push_back(element * static_cast<double>(element_count(box)));
    reads.box.push_back(at->second);
  }
  return reads;
}

// Of all clusters, when part i is on core cores[i].
double bytes_read(const Hardware& hardware, const std::vector<BoxReads>& operands, const std::vector<int>& cores) {
  double bytes = 0;
  for (const BoxReads& reads : operands) {
    std::set<std::pair<int, int>> once;  // cluster and box
    for (std::size_t part = 0; part < cores.size(); ++part)
      if (once.emplace(hardware.load_group(cores[part]), reads.box[part]).second) bytes += reads.bytes[reads.box[part]];
  }
  return bytes;
}

// By part: the cores, which come in ascending order, in panels of `width` columns.
std::vector<int> cores_in_panels(std::int64_t width, const Grid& grid, const std::vector<int>& ascending) {
  std::vector<int> cores(ascending.size());
  auto next = ascending.begin();
  for (std::int64_t panel = 0; panel < grid.columns; panel += width)
    for (std::int64_t row = 0; row < grid.rows; ++row)
      for (std::int64_t column = panel; column < std::min(panel + width, grid.columns); ++column)
        for (std::int64_t sum = 0; sum < grid.sums; ++sum)
          cores[(row * grid.columns + column) * grid.sums + sum] = *next++;
  return cores;
}

// Where memories are not equally far, what lies next to a core counts for more (neighbour_splits.h); the mode `hybrid`
// says what the cores of a cluster share.
bool panels_can_matter(const Plan& plan) {
  const Hardware& hardware = plan.hardware;
  return hardware.shares_loads() && hardware.network.multicast == 0 && hardware.dram.regions == 1 &&
         plan.options.parallel != Parallel::kHybrid;
}

std::vector<int> cores_of(const Items& items) {
  std::vector<int> cores;
  for (const WorkItem& item : items) cores.push_back(item.core);
  return cores;
}

}  // namespace

std::optional<Split> in_panels(const Plan& plan, OperatorId id, const Split& split) {
  if (!panels_can_matter(plan) || split.items.empty()) return {};
  const auto grid = grid_of(split.items);
  if (!grid || grid->rows == 1) return {};
  std::vector<BoxReads> operands;
  for (std::size_t input = 0; input < plan.graph.op(id).inputs.size(); ++input)
    operands.push_back(boxes_read(plan, id, split.items, input));
  std::vector<int> ascending = cores_of(split.items), best;
  double least = bytes_read(plan.hardware, operands, ascending);
  std::ranges::sort(ascending);
  for (std::int64_t width = 1; width < std::min<std::int64_t>(grid->columns, plan.hardware.cores_per_cluster);
       ++width) {
    std::vector<int> cores = cores_in_panels(width, *grid, ascending);
    if (const double bytes = bytes_read(plan.hardware, operands, cores); bytes < least)
      least = bytes, best = std::move(cores);
  }
  if (best.empty()) return {};
  Split panels = split;
  for (std::size_t part = 0; part < best.size(); ++part) panels.items[part].core = best[part];
  return panels;
}

}  // namespace tilewright
