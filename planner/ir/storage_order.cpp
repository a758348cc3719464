#include "planner/ir/storage_order.h"

#include "planner/ir/access.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// A part of one dimension of a tensor: ranges of the dimensions it is made of, so far.
struct Block {
  std::int64_t offset = 0;  // of its first element in the whole part
  BoxRange ranges;
};

// Cuts ranges of the product of `sizes`, outermost first, into boxes.
class BlockCutter {
 public:
  explicit BlockCutter(Shape sizes) : sizes_(std::move(sizes)) {}

  std::vector<Block> cut(Range range) {
    if (sizes_.empty())
      blocks_.push_back({});
    else
      append(range, {});
    return std::move(blocks_);
  }

 private:
  std::int64_t elements_behind(std::size_t at) const {
    std::int64_t count = 1;
    while (++at < sizes_.size()) count *= sizes_[at];
    return count;
  }

  // What begins or ends inside a row of the dimension at hand is cut further, whole rows are taken together.
  void append(Range range, const Block& outer) {
    const std::int64_t inner = elements_behind(outer.ranges.size());
    const std::int64_t first = ceil_div(range.begin, inner), last = range.end / inner;
    if (first > last) {
      append_rows(range, {last, first}, outer);
      return;
    }
    if (range.begin < first * inner) append_rows({range.begin, first * inner}, {first - 1, first}, outer);
    if (first < last) append_rows({first * inner, last * inner}, {first, last}, outer, range.begin);
    if (last * inner < range.end) append_rows({last * inner, range.end}, {last, last + 1}, outer, range.begin);
  }
  void append_rows(Range part, Range rows, const Block& outer) { append_rows(part, rows, outer, part.begin); }

  // `part` lies in `rows`: all of them, or one of which it is a part; `origin` is the first element of what is cut.
  void append_rows(Range part, Range rows, Block block, std::int64_t origin) {
    const std::int64_t inner = elements_behind(block.ranges.size());
    block.offset += part.begin - origin;
    block.ranges.push_back(rows);
    if (block.ranges.size() == sizes_.size())
      blocks_.push_back(std::move(block));
    else if (rows.size() > 1)
      append({0, inner}, block);
    else
      append({part.begin - rows.begin * inner, part.end - rows.begin * inner}, block);
  }

  const Shape sizes_;
  std::vector<Block> blocks_;
};

}  // namespace

std::vector<std::vector<int>> factors_of(const Shape& shape, const Shape& storage, const std::vector<int>& permuted) {
  std::vector<std::vector<int>> factors;
  auto next = permuted.begin();
  for (const std::int64_t size : shape) {
    std::int64_t product = 1;
    factors.emplace_back();
    for (; product < size && next != permuted.end(); ++next) {
      product *= storage[*next];
      factors.back().push_back(*next);
    }
    if (product != size) return {};
  }
  return factors;
}

StorageOrder::StorageOrder(const Plan& plan, TensorId tensor)
    : storage_(plan.tensors[tensor].alias_of),
      shape_(plan.graph.tensor(storage_).shape),
      factors_(factors_of(plan.graph.tensor(tensor).shape, shape_, plan.tensors[tensor].permuted)) {
  SIM_CHECK(!factors_.empty(), "'{}' is no order of '{}'", plan.graph.tensor(tensor).name,
            plan.graph.tensor(storage_).name);
}

std::vector<StorageBox> StorageOrder::boxes(const BoxRange& box) const {
  std::vector<StorageBox> boxes{{BoxRange(shape_.size(), Range{0, 1}), {}}};
  for (std::size_t d = 0; d < factors_.size(); ++d) {
    Shape sizes;
    for (const int factor : factors_[d]) sizes.push_back(shape_[factor]);
    std::vector<StorageBox> next;
    for (const Block& block : BlockCutter(sizes).cut(box[d]))
      for (StorageBox part : boxes) {
        for (std::size_t i = 0; i < sizes.size(); ++i) part.box[factors_[d][i]] = block.ranges[i];
        part.offset.push_back(block.offset);
        next.push_back(std::move(part));
      }
    boxes = std::move(next);
  }
  return boxes;
}

std::vector<std::int64_t> StorageOrder::strides(const std::vector<std::int64_t>& own) const {
  std::vector<std::int64_t> strides(shape_.size(), 0);
  for (std::size_t d = 0; d < factors_.size(); ++d) {
    std::int64_t stride = own[d];
    for (std::size_t i = factors_[d].size(); i-- > 0; stride *= shape_[factors_[d][i]])
      strides[factors_[d][i]] = stride;
  }
  return strides;
}

std::vector<std::int64_t> StorageOrder::positions() const {
  const std::vector<std::int64_t> strides = packed_strides(shape_, 1);
  std::vector<std::int64_t> positions{0};
  for (const std::vector<int>& factors : factors_)
    for (const int factor : factors) {
      std::vector<std::int64_t> next;
      next.reserve(positions.size() * static_cast<std::size_t>(shape_[factor]));
      for (const std::int64_t position : positions)
        for (std::int64_t i = 0; i < shape_[factor]; ++i) next.push_back(position + i * strides[factor]);
      positions = std::move(next);
    }
  return positions;
}

}  // namespace tilewright
