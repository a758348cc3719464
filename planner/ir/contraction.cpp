#include "planner/ir/contraction.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/base/stop.h"

namespace tilewright {

std::unique_ptr<Contraction> make_matmul_contraction(const Plan& plan, const Operator& op, const BoxRange& output,
                                                     Range k);
std::unique_ptr<Contraction> make_conv_contraction(const Plan& plan, const Operator& op, const BoxRange& output,
                                                   Range k);

std::unique_ptr<Contraction> make_contraction(const Plan& plan, const Operator& op, const BoxRange& output, Range k) {
  check_stop();
  SIM_CHECK(is_contraction(op.kind), "'{}' is no contraction", op.name);
  return op.kind == OpKind::kConv ? make_conv_contraction(plan, op, output, k)
                                  : make_matmul_contraction(plan, op, output, k);
}

std::unique_ptr<Contraction> make_contraction(const Plan& plan, const Operator& op, const WorkItem& item) {
  return make_contraction(plan, op, item.output, item.k);
}

std::vector<Range> cut_range(Range range, std::int64_t at_most) {
  SIM_CHECK(at_most > 0, "pieces of {} elements", at_most);
  std::vector<Range> parts;
  for (std::int64_t begin = range.begin; begin < range.end; begin += at_most)
    parts.push_back({begin, std::min(range.end, begin + at_most)});
  return parts;
}

std::vector<Columns> cut_columns(const Columns& columns, std::int64_t at_most) {
  const std::int64_t row = columns.column.size(), image = row * columns.row.size();
  const std::int64_t group = std::clamp<std::int64_t>(columns.together, 1, columns.image.size());
  const bool whole = at_most >= group * image;
  const std::int64_t images = whole ? at_most / (group * image) * group : std::min(group, at_most);
  const std::int64_t each = whole ? image : std::max<std::int64_t>(1, at_most / images);
  const std::int64_t rows = std::max<std::int64_t>(1, each / row);
  const std::int64_t width = std::min(each, row);
  std::vector<Columns> parts;
  for (const Range& i : cut_range(columns.image, images))
    for (const Range& r : cut_range(columns.row, rows))
      for (const Range& c : cut_range(columns.column, width)) parts.push_back({i, r, c, columns.together});
  return parts;
}

}  // namespace tilewright
