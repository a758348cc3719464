#include "planner/emit/pool_windows.h"

#include <algorithm>
#include <limits>

namespace tilewright {

double pool_padding(OpKind pool) { return pool == OpKind::kMaxPool ? std::numeric_limits<float>::lowest() : 0; }

PoolWindows::PoolWindows(const Plan& plan, const Operator& op)
    : input_(plan.graph.tensor(op.inputs[0]).shape),
      window_(window_of(plan.graph, op)),
      is_max_(op.kind == OpKind::kMaxPool),
      count_include_pad_(op.attributes.count_include_pad) {}

PoolWindows::Pass PoolWindows::reduce(const BoxRange& box, const ArrayView& x, const ArrayView& target) const {
  const auto& [rows, columns] = window_.axes;
  const auto& s = x.stride;
  ArrayView taps = x, results = target;
  taps.stride = {s[1], rows.stride * s[2], columns.stride * s[3], rows.dilation * s[2], columns.dilation * s[3]};
  results.stride = {target.stride[1], target.stride[2], target.stride[3], 0, 0};
  return {{.op = is_max_ ? VectorOp::kReduceMax : VectorOp::kReduceAdd},
          {box[1].size(), box[2].size(), box[3].size(), rows.size, columns.size},
          results,
          taps};
}

// Taps of the window at output position `at` that count.
std::int64_t PoolWindows::taps_at(int d, std::int64_t at) const {
  const Window::Axis& axis = window_.axes[d - 2];
  const std::int64_t low = count_include_pad_ ? -axis.pad_begin : 0;
  const std::int64_t high = input_[d] + (count_include_pad_ ? axis.pad_end : 0);
  std::int64_t taps = 0;
  for (std::int64_t t = 0; t < axis.size; ++t) {
    const std::int64_t position = at * axis.stride - axis.pad_begin + t * axis.dilation;
    taps += position >= low && position < high;
  }
  return taps;
}

// Runs of positions with the same number of taps.
std::vector<Range> PoolWindows::runs(int d, Range range) const {
  std::vector<Range> result;
  for (std::int64_t at = range.begin; at < range.end; ++at)
    if (result.empty() || taps_at(d, at) != taps_at(d, at - 1))
      result.push_back({at, at + 1});
    else
      result.back().end = at + 1;
  return result;
}

std::vector<PoolWindows::Pass> PoolWindows::divide(const BoxRange& box, const ArrayView& sums,
                                                   const ArrayView& means) const {
  std::vector<Pass> passes;
  for (const Range& rows : runs(2, box[2]))
    for (const Range& columns : runs(3, box[3])) {
      ArrayView from = sums, to = means;
      for (ArrayView* view : {&from, &to})
        view->address +=
            (rows.begin - box[2].begin) * view->stride[2] + (columns.begin - box[3].begin) * view->stride[3];
      const std::int64_t taps = std::max<std::int64_t>(1, taps_at(2, rows.begin) * taps_at(3, columns.begin));
      passes.push_back({{.op = VectorOp::kMul, .b_is_immediate = true, .immediate = 1.0 / static_cast<double>(taps)},
                        {box[0].size(), box[1].size(), rows.size(), columns.size()},
                        to,
                        from});
    }
  return passes;
}

}  // namespace tilewright
