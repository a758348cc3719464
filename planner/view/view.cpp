#include "planner/view/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "sim/base/error.h"
#include "sim/base/units.h"

namespace tilewright {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw UserError("", what); }

// `dim` counted from the start; `rank` dimensions, or one place more for a new one.
std::size_t dimension_of(std::int64_t dim, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (dim < -size || dim >= size) refuse(fmt::format("dimension {} of a view of rank {}", dim, rank));
  return static_cast<std::size_t>(dim < 0 ? dim + size : dim);
}

void check_sizes(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0) refuse(fmt::format("a view of shape {}: sizes are 0 or more", to_string(shape)));
    if (size == 0) continue;  // the others are held to the limit all the same
    if (count > (std::int64_t{1} << 40) / size)
      refuse(fmt::format("a view of shape {} is too large", to_string(shape)));
    count *= size;
  }
}

// The one size given as -1 is what remains.
Shape complete(const Shape& wanted, std::int64_t elements) {
  Shape shape = wanted;
  const auto open = std::find(shape.begin(), shape.end(), -1);
  if (open == shape.end()) return shape;
  *open = 1;
  check_sizes(shape);
  const std::int64_t others = element_count(shape);
  if (others == 0) refuse(fmt::format("view {}: beside a size of 0, -1 could be any size", to_string(wanted)));
  *open = elements / others;
  return shape;
}

}  // namespace

View View::of(const Shape& base) {
  View view{base, std::vector<std::int64_t>(base.size()), 0};
  std::int64_t stride = 1;
  for (std::size_t d = base.size(); d-- > 0; stride *= std::max<std::int64_t>(1, base[d])) view.strides[d] = stride;
  return view;
}

// PyTorch's computeStride: runs of dimensions without a gap between them are cut anew, from the last on.
std::optional<std::vector<std::int64_t>> strides_after_view(const View& view, const Shape& shape) {
  if (element_count(shape) == 0) return View::of(shape).strides;
  std::vector<std::int64_t> strides(shape.size(), 1);
  std::size_t at = shape.size();
  std::int64_t base = view.shape.empty() ? 1 : view.strides.back(), run = 1, covered = 1;
  for (std::size_t d = view.shape.size(); d-- > 0;) {
    run *= view.shape[d];
    if (d > 0 && (view.shape[d - 1] == 1 || view.strides[d - 1] == run * base)) continue;
    for (; at > 0 && (covered < run || shape[at - 1] == 1); covered *= shape[--at]) strides[at - 1] = covered * base;
    if (covered != run) return std::nullopt;
    if (d > 0) base = view.strides[d - 1], run = covered = 1;
  }
  for (; at > 0; --at)
    if (shape[at - 1] != 1) return std::nullopt;
  return strides;
}

View View::reshaped(Shape wanted) const {
  wanted = complete(wanted, element_count(shape));
  check_sizes(wanted);
  if (element_count(wanted) != element_count(shape))
    refuse(fmt::format("view {} of shape {}: {} elements against {}", to_string(wanted), to_string(shape),
                       element_count(wanted), element_count(shape)));
  const auto made = strides_after_view(*this, wanted);
  if (!made)
    refuse(fmt::format("view {} of shape {}: its elements are not neighbours, copy it first", to_string(wanted),
                       to_string(shape)));
  return {wanted, *made, offset};
}

View View::permuted(const std::vector<std::int64_t>& dims) const {
  if (dims.size() != shape.size())
    refuse(fmt::format("permute names {} dimensions of a view of rank {}", dims.size(), shape.size()));
  View view{{}, {}, offset};
  std::vector<bool> seen(shape.size(), false);
  for (const std::int64_t dim : dims) {
    const std::size_t d = dimension_of(dim, shape.size());
    if (seen[d]) refuse(fmt::format("permute names dimension {} twice", d));
    seen[d] = true;
    view.shape.push_back(shape[d]);
    view.strides.push_back(strides[d]);
  }
  return view;
}

View View::transposed(std::int64_t a, std::int64_t b) const {
  View view = *this;
  const std::size_t i = dimension_of(a, shape.size()), j = dimension_of(b, shape.size());
  std::swap(view.shape[i], view.shape[j]);
  std::swap(view.strides[i], view.strides[j]);
  return view;
}

View View::flipped(const std::vector<std::int64_t>& dims) const {
  View view = *this;
  std::vector<bool> seen(shape.size(), false);
  for (const std::int64_t dim : dims) {
    const std::size_t d = dimension_of(dim, shape.size());
    if (seen[d]) refuse(fmt::format("flip names dimension {} twice", d));
    seen[d] = true;
    if (shape[d] > 0) view.offset += (shape[d] - 1) * strides[d];
    view.strides[d] = -strides[d];
  }
  return view;
}

View View::sliced(std::int64_t dim, std::int64_t start, std::int64_t stop, std::int64_t step) const {
  const std::size_t d = dimension_of(dim, shape.size());
  if (step == 0) refuse("slice with a step of 0");
  const std::int64_t size = shape[d], one = 1, zero = 0;
  step = std::clamp(step, -std::max(one, size), std::max(one, size));  // longer ones leave the first element, too
  if (step < 0) {                                                      // the slice upwards of what is flipped
    const auto from_the_end = [&](std::int64_t at) { return std::max(zero, size - 1 - (at < 0 ? at + size : at)); };
    return flipped({dim}).sliced(dim, from_the_end(start), from_the_end(stop), -step);
  }
  const std::int64_t first = std::clamp(start < 0 ? start + size : start, zero, size);
  const std::int64_t last = std::clamp(stop < 0 ? stop + size : stop, first, size);
  View view = *this;
  view.offset += first * strides[d];
  view.shape[d] = ceil_div(last - first, step);
  view.strides[d] *= step;
  return view;
}

View View::narrowed(std::int64_t dim, std::int64_t start, std::int64_t length) const {
  const std::size_t d = dimension_of(dim, shape.size());
  if (start < 0 || length < 0 || start > shape[d] - length)
    refuse(
        fmt::format("narrow to {} elements from {} does not fit dimension {} of size {}", length, start, d, shape[d]));
  return sliced(dim, start, start + length, 1);
}

View View::selected(std::int64_t dim, std::int64_t index) const {
  const std::size_t d = dimension_of(dim, shape.size());
  if (index < -shape[d] || index >= shape[d])
    refuse(fmt::format("index {} does not fit dimension {} of size {}", index, d, shape[d]));
  View view = narrowed(dim, index < 0 ? index + shape[d] : index, 1);
  return view.squeezed(static_cast<std::int64_t>(d));
}

View View::expanded(const Shape& wanted) const {
  if (wanted.size() < shape.size())
    refuse(fmt::format("expand {} of a view of rank {}", to_string(wanted), shape.size()));
  View view{wanted, std::vector<std::int64_t>(wanted.size(), 0), offset};
  const std::size_t added = wanted.size() - shape.size();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::int64_t& size = view.shape[added + d];
    if (size == -1) size = shape[d];
    if (size != shape[d] && shape[d] != 1)
      refuse(
          fmt::format("expand {} of shape {}: only sizes of 1 can be repeated", to_string(wanted), to_string(shape)));
    view.strides[added + d] = size == shape[d] ? strides[d] : 0;
  }
  check_sizes(view.shape);
  return view;
}

View View::squeezed(std::int64_t dim) const {
  const std::size_t d = dimension_of(dim, shape.size());
  if (shape[d] != 1) refuse(fmt::format("squeeze of dimension {} of size {}", d, shape[d]));
  View view = *this;
  view.shape.erase(view.shape.begin() + static_cast<std::ptrdiff_t>(d));
  view.strides.erase(view.strides.begin() + static_cast<std::ptrdiff_t>(d));
  return view;
}

View View::unsqueezed(std::int64_t dim) const {
  const std::size_t d = dimension_of(dim, shape.size() + 1);
  View view = *this;
  const std::int64_t stride = d < shape.size() ? shape[d] * strides[d] : 1;
  view.shape.insert(view.shape.begin() + static_cast<std::ptrdiff_t>(d), 1);
  view.strides.insert(view.strides.begin() + static_cast<std::ptrdiff_t>(d), stride);
  return view;
}

View View::unfolded(std::int64_t dim, std::int64_t size, std::int64_t step) const {
  const std::size_t d = dimension_of(dim, shape.size());
  if (size < 1 || step < 1 || size > shape[d])
    refuse(fmt::format("windows of {} elements every {} do not fit dimension {} of size {}", size, step, d, shape[d]));
  View view = *this;
  view.shape[d] = (shape[d] - size) / step + 1;
  view.strides[d] *= step;
  view.shape.push_back(size);
  view.strides.push_back(strides[d]);
  check_sizes(view.shape);
  return view;
}

std::int64_t View::element_at(const std::vector<std::int64_t>& coordinate) const {
  std::int64_t element = offset;
  for (std::size_t d = 0; d < shape.size(); ++d) element += coordinate[d] * strides[d];
  return element;
}

std::int64_t View::last_element() const {
  std::int64_t element = offset;
  for (std::size_t d = 0; d < shape.size(); ++d) element += (shape[d] - 1) * std::max<std::int64_t>(0, strides[d]);
  return element;
}

bool is_contiguous(const View& view) {
  if (element_count(view.shape) == 0) return true;
  std::int64_t stride = 1;
  for (std::size_t d = view.shape.size(); d-- > 0; stride *= view.shape[d])
    if (view.shape[d] != 1 && view.strides[d] != stride) return false;
  return true;
}

bool covers_in_order(const View& view, const Shape& base) {
  return is_contiguous(view) && element_count(view.shape) == element_count(base);
}

bool next_coordinate(const Shape& shape, std::vector<std::int64_t>& coordinate) {
  for (std::size_t d = shape.size(); d-- > 0; coordinate[d] = 0)
    if (++coordinate[d] < shape[d]) return true;
  return false;
}

View strided_view(const Shape& base, const Shape& shape, const std::vector<std::int64_t>& strides,
                  std::int64_t offset) {
  if (shape.size() != strides.size())
    refuse(fmt::format("as_strided has {} sizes and {} strides", shape.size(), strides.size()));
  check_sizes(shape);
  const std::int64_t elements = element_count(base);
  for (const std::int64_t stride : strides)
    if (stride < 0 || stride > elements)
      refuse(fmt::format("a stride of {} in a tensor of {} elements", stride, elements));
  View view{shape, strides, offset};
  if (element_count(shape) == 0) return view;
  if (offset < 0 || offset >= elements)
    refuse(fmt::format("an offset of {} in a tensor of {} elements", offset, elements));
  std::int64_t room = elements - 1 - offset;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (strides[d] > 0 && shape[d] - 1 > room / strides[d])
      refuse(fmt::format("as_strided {} from {} leaves the tensor of {} elements", to_string(shape), offset, elements));
    room -= (shape[d] - 1) * strides[d];
  }
  return view;
}

namespace {

constexpr int kStepBudget = 1 << 16;

struct Loop {
  std::int64_t stride, most;  // differences from -most to most
};

// Two coordinates of a view are one element when some difference of coordinates, not all zero and each smaller than its
// dimension, has the weighted sum 0.
class ZeroSum {
 public:
  explicit ZeroSum(const View& view) {
    for (std::size_t d = 0; d < view.shape.size(); ++d)
      if (view.shape[d] > 1) loops_.push_back({std::abs(view.strides[d]), view.shape[d] - 1});
    std::sort(loops_.begin(), loops_.end(), [](const Loop& a, const Loop& b) { return a.stride > b.stride; });
    reach_.assign(loops_.size() + 1, 0);
    for (std::size_t i = loops_.size(); i-- > 0;) reach_[i] = reach_[i + 1] + loops_[i].stride * loops_[i].most;
  }

  bool exists() { return find(0, 0, false); }

 private:
  // Whether differences of the loops from `at` on can bring `sum` to 0. The first one that is not zero is taken
  // positive: the mirrored solution says the same.
  bool find(std::size_t at, std::int64_t sum, bool moved) {
    if (sum > reach_[at] || -sum > reach_[at]) return false;
    if (--budget_ < 0) return true;
    if (at == loops_.size()) return moved;
    const Loop& loop = loops_[at];
    if (loop.stride == 0) return true;
    const std::int64_t low = moved ? -loop.most : 0;
    const std::int64_t first = std::max(low, floor_div(-reach_[at + 1] - sum + loop.stride - 1, loop.stride));
    const std::int64_t last = std::min(loop.most, floor_div(reach_[at + 1] - sum, loop.stride));
    for (std::int64_t i = first; i <= last; ++i)
      if (find(at + 1, sum + i * loop.stride, moved || i != 0)) return true;
    return false;
  }

  static std::int64_t floor_div(std::int64_t value, std::int64_t divisor) {
    return value / divisor - (value % divisor < 0 ? 1 : 0);
  }

  std::vector<Loop> loops_;          // largest stride first
  std::vector<std::int64_t> reach_;  // most that the loops from i on can sum to
  int budget_ = kStepBudget;
};

}  // namespace

bool overlaps_itself(const View& view) { return element_count(view.shape) > 0 && ZeroSum(view).exists(); }

}  // namespace tilewright
