#include "planner/graph/broadcast.h"

#include <algorithm>

#include "sim/base/error.h"

namespace tilewright {

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()));
  for (std::size_t i = 1; i <= out.size(); ++i) {
    const std::int64_t x = i <= a.size() ? a[a.size() - i] : 1;
    const std::int64_t y = i <= b.size() ? b[b.size() - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    out[out.size() - i] = x == 1 ? y : x;
  }
  return out;
}

std::vector<std::int64_t> row_major_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d]) strides[d] = stride;
  return strides;
}

std::vector<std::int64_t> broadcast_strides(const Shape& shape, const Shape& target) {
  const std::vector<std::int64_t> own = row_major_strides(shape);
  std::vector<std::int64_t> strides(target.size(), 0);
  for (std::size_t i = 1; i <= shape.size(); ++i)
    if (shape[shape.size() - i] != 1) strides[target.size() - i] = own[shape.size() - i];
  return strides;
}

std::optional<Shape> renamed_operand(const Shape& shape, const Shape& from, const Shape& to) {
  SIM_CHECK(element_count(from) == element_count(to) && shape.size() <= from.size(), "shapes of different sizes");
  Shape own(from.size() - shape.size(), 1), result;
  own.insert(own.end(), shape.begin(), shape.end());
  for (std::size_t i = 0, j = 0; i < from.size() || j < to.size();) {
    // The fewest next dimensions of both that have as many elements: all of the operand's, or one for all.
    std::int64_t before = 1, after = 1, of_operand = 1;
    do {
      if (i < from.size() && before <= after) {
        before *= from[i], of_operand *= own[i], ++i;
      } else {
        after *= to[j++];
      }
    } while (before != after);
    if (of_operand != 1 && of_operand != after) return std::nullopt;
    while (result.size() < j) result.push_back(of_operand == 1 ? 1 : to[result.size()]);
  }
  return result;
}

}  // namespace tilewright
