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
  const ColumnBox whole{columns.image.size(), columns.row.size(), columns.column.size()};
  const ColumnBox box = box_of(whole, at_most, columns.together);
  std::vector<Columns> parts;
  for (const Range& i : cut_range(columns.image, box.images))
    for (const Range& r : cut_range(columns.row, box.rows))
      for (const Range& c : cut_range(columns.column, box.columns)) parts.push_back({i, r, c, columns.together});
  return parts;
}

}  // namespace tilewright
