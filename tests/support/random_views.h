// Random tensors, layouts and chains of view operators, and the plain array that a chain means: element numbers moved
// one by one, by the definition of each operator, with no strides anywhere.
#pragma once

#include <algorithm>
#include <utility>

#include "planner/view/layout.h"
#include "planner/view/view_chain.h"
#include "sim/base/error.h"
#include "tests/support/plain_layout.h"
#include "tests/support/random_draws.h"

namespace tilewright::test {

using Coordinate = std::vector<std::int64_t>;

// Calls `visit` with every coordinate of `shape`, row-major.
template <typename Visit>
void for_each_coordinate(const Shape& shape, Visit visit) {
  Coordinate at(shape.size(), 0);
  for (std::int64_t i = element_count(shape); i > 0; --i) {
    visit(std::as_const(at));
    for (std::size_t d = shape.size(); d-- > 0; at[d] = 0)
      if (++at[d] < shape[d]) break;
  }
}

struct PlainArray {
  Shape shape;
  std::vector<std::int64_t> elements;  // of the base, row-major

  static PlainArray of(const Shape& shape) {
    PlainArray array{shape, {}};
    for (std::int64_t i = 0; i < element_count(shape); ++i) array.elements.push_back(i);
    return array;
  }
  std::int64_t at(const Coordinate& coordinate) const {
    std::int64_t index = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) index = index * shape[d] + coordinate[d];
    return elements.at(static_cast<std::size_t>(index));
  }
  // The array of `to` whose element at c is this one's at from(c).
  template <typename From>
  PlainArray gathered(const Shape& to, From from) const {
    PlainArray array{to, {}};
    for_each_coordinate(to, [&](const Coordinate& c) { array.elements.push_back(at(from(c))); });
    return array;
  }
};

inline PlainArray apply_plainly(const ViewStep& s, const PlainArray& array) {
  const auto d = static_cast<std::size_t>(s.dim);
  const auto dim = static_cast<std::ptrdiff_t>(s.dim);
  Shape shape = array.shape;
  switch (s.op) {
    case ViewOp::kView:
      return {s.shape, array.elements};
    case ViewOp::kPermute:
      for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = array.shape[s.dims[i]];
      return array.gathered(shape, [&](const Coordinate& c) {
        Coordinate from(c.size());
        for (std::size_t i = 0; i < c.size(); ++i) from[s.dims[i]] = c[i];
        return from;
      });
    case ViewOp::kTranspose:
      std::swap(shape[s.dims[0]], shape[s.dims[1]]);
      return array.gathered(shape, [&](Coordinate c) {
        std::swap(c[s.dims[0]], c[s.dims[1]]);
        return c;
      });
    case ViewOp::kFlip:
      return array.gathered(shape, [&](Coordinate c) {
        for (const std::int64_t turned : s.dims) c[turned] = shape[turned] - 1 - c[turned];
        return c;
      });
    case ViewOp::kSlice:
      shape[d] = 0;
      for (std::int64_t i = s.start; s.step > 0 ? i < s.stop : i >= 0 && i > s.stop; i += s.step) ++shape[d];
      return array.gathered(shape, [&](Coordinate c) {
        c[d] = s.start + c[d] * s.step;
        return c;
      });
    case ViewOp::kNarrow:
      shape[d] = s.length;
      return array.gathered(shape, [&](Coordinate c) {
        c[d] += s.start;
        return c;
      });
    case ViewOp::kSelect:
      shape.erase(shape.begin() + dim);
      return array.gathered(shape, [&](Coordinate c) {
        c.insert(c.begin() + dim, s.start);
        return c;
      });
    case ViewOp::kExpand:
      return array.gathered(s.shape, [&](Coordinate c) {
        c.erase(c.begin(), c.end() - std::ssize(array.shape));
        for (std::size_t i = 0; i < c.size(); ++i) c[i] = array.shape[i] == 1 ? 0 : c[i];
        return c;
      });
    case ViewOp::kSqueeze:
      shape.erase(shape.begin() + dim);
      return {shape, array.elements};
    case ViewOp::kUnsqueeze:
      shape.insert(shape.begin() + dim, 1);
      return {shape, array.elements};
    case ViewOp::kUnfold:
      shape[d] = 0;
      for (std::int64_t i = 0; i + s.length <= array.shape[d]; i += s.step) ++shape[d];
      shape.push_back(s.length);
      return array.gathered(shape, [&](Coordinate c) {
        c[d] = c[d] * s.step + c.back();
        c.pop_back();
        return c;
      });
    case ViewOp::kAsStrided: {
      PlainArray result{s.shape, {}};
      for_each_coordinate(s.shape, [&](const Coordinate& c) {
        std::int64_t element = s.start;
        for (std::size_t i = 0; i < c.size(); ++i) element += c[i] * s.strides[i];
        result.elements.push_back(element);
      });
      return result;
    }
  }
  throw InternalError("no such operator");
}

// A chain and what it means; `view` is the product's own.
struct ViewCase {
  Shape base;
  std::vector<ViewStep> steps;
  View view;
  PlainArray plain;
};

class RandomViews : public RandomDraws {
 public:
  using RandomDraws::RandomDraws;

  Shape shape(std::int64_t most) {
    Shape shape;
    const std::int64_t rank = between(0, 9) == 0 ? between(0, 1) : between(1, 5);
    for (std::int64_t d = 0; d < rank; ++d) {
      const std::int64_t size = std::min(most, between(0, 2) == 0 ? std::int64_t{1} << between(0, 4) : between(1, 13));
      shape.push_back(std::max<std::int64_t>(1, size));
      most /= shape.back();
    }
    return shape;
  }

  WrittenLayout layout(const Shape& shape) {
    if (between(0, 3) == 0) return {shape, Layout::plain(shape).tag(), {}, 0};
    std::vector<std::string> outer, inner;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::int64_t levels = std::max<std::int64_t>(0, between(-1, 2));
      const char letter = static_cast<char>((levels > 0 ? 'A' : 'a') + static_cast<char>(d));
      outer.push_back({letter});
      for (std::int64_t i = 0; i < levels; ++i)
        inner.push_back(std::to_string(between(1, 5)) + static_cast<char>('a' + static_cast<char>(d)));
    }
    std::shuffle(outer.begin(), outer.end(), random_);
    std::shuffle(inner.begin(), inner.end(), random_);
    if (between(0, 3) == 0)
      outer.insert(outer.end(), inner.begin(), inner.end()), std::shuffle(outer.begin(), outer.end(), random_),
          inner.clear();
    std::string tag;
    for (const auto& part : outer) tag += part;
    for (const auto& part : inner) tag += part;
    Shape padded;
    if (between(0, 3) == 0)
      for (const std::int64_t size : shape) padded.push_back(size + between(0, 3));
    return {shape, tag, padded, between(0, 3) == 0 ? between(0, 9) : 0};
  }

  // Up to five operators on a tensor of at most `most` elements; a view() that would need a copy is left out.
  ViewCase chain(std::int64_t most, bool overlapping = true) {
    ViewCase made;
    made.base = shape(most);
    made.view = View::of(made.base);
    made.plain = PlainArray::of(made.base);
    for (std::int64_t left = between(0, 5); left > 0; --left) {
      const ViewStep step = random_step(made.plain, most, overlapping);
      if (step.op == ViewOp::kView && !strides_after_view(made.view, step.shape)) continue;
      made.view = apply(step, made.view, made.base);
      made.plain = apply_plainly(step, made.plain);
      made.steps.push_back(step);
    }
    return made;
  }

  // A view of the given shape into a larger tensor with other dimensions in another order.
  ViewCase window_of(const Shape& shape) {
    ViewCase made;
    ViewStep turn{.op = ViewOp::kPermute};
    for (std::size_t d = 0; d < shape.size(); ++d) turn.dims.push_back(static_cast<std::int64_t>(d));
    std::shuffle(turn.dims.begin(), turn.dims.end(), random_);
    made.base.resize(shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d) made.base[turn.dims[d]] = shape[d] + between(0, 2);
    made.steps.push_back(turn);
    for (std::size_t d = 0; d < shape.size(); ++d)
      made.steps.push_back({.op = ViewOp::kNarrow,
                            .dim = static_cast<std::int64_t>(d),
                            .start = between(0, made.base[turn.dims[d]] - shape[d]),
                            .length = shape[d]});
    made.view = View::of(made.base);
    made.plain = PlainArray::of(made.base);
    for (const ViewStep& step : made.steps)
      made.view = apply(step, made.view, made.base), made.plain = apply_plainly(step, made.plain);
    return made;
  }

  ViewStep random_step(const PlainArray& array, std::int64_t most, bool overlapping) {
    ViewStep step;
    const auto rank = std::ssize(array.shape);
    step.op = static_cast<ViewOp>(rank == 0 ? 0 : between(0, kViewOpCount - 1));
    if (rank > 0) step.dim = between(0, rank - 1);
    const std::int64_t size = rank > 0 ? array.shape[step.dim] : 1;
    const std::int64_t room = std::max<std::int64_t>(1, most / std::ssize(array.elements));
    const ViewStep other{.op = ViewOp::kView, .shape = factors(std::ssize(array.elements))};
    switch (step.op) {
      case ViewOp::kView:
        return other;
      case ViewOp::kPermute:
        for (std::int64_t d = 0; d < rank; ++d) step.dims.push_back(d);
        std::shuffle(step.dims.begin(), step.dims.end(), random_);
        return step;
      case ViewOp::kTranspose:
        step.dims = {step.dim, between(0, rank - 1)};
        return step;
      case ViewOp::kFlip:
        for (std::int64_t d = 0; d < rank; ++d)
          if (between(0, 1) == 0) step.dims.push_back(d);
        return step;
      case ViewOp::kSlice:
        step.start = between(0, size - 1), step.stop = between(step.start + 1, size), step.step = between(1, 3);
        if (between(0, 2) == 0) {  // downwards; to the first element: what lies before every place from the end
          step.stop = between(0, step.start) - 1, step.step = -step.step;
          if (step.stop < 0) step.stop = -size - 1;
        }
        return step;
      case ViewOp::kNarrow:
        step.start = between(0, size - 1), step.length = between(1, size - step.start);
        return step;
      case ViewOp::kSelect:
        step.start = between(0, size - 1);
        return step;
      case ViewOp::kExpand:
        if (!overlapping) return other;
        step.shape = array.shape;
        if (size == 1) step.shape[step.dim] = between(1, std::min<std::int64_t>(4, room));
        if (step.shape == array.shape)
          step.shape.insert(step.shape.begin(), between(1, std::min<std::int64_t>(4, room)));
        return step;
      case ViewOp::kSqueeze:
        return size == 1 ? step : other;
      case ViewOp::kUnsqueeze:
        return step;
      case ViewOp::kUnfold:
        step.length = between(1, std::min(size, room)), step.step = overlapping ? between(1, 3) : step.length;
        return step;
      case ViewOp::kAsStrided:
        return other;
    }
    return step;
  }

 private:
  // A random shape of exactly `elements`.
  Shape factors(std::int64_t elements) {
    Shape shape;
    while (elements > 1 && shape.size() < 5) {
      std::vector<std::int64_t> divisors;
      for (std::int64_t i = 1; i <= elements; ++i)
        if (elements % i == 0) divisors.push_back(i);
      shape.push_back(divisors[between(0, std::ssize(divisors) - 1)]);
      elements /= shape.back();
    }
    if (elements > 1) shape.push_back(elements);
    return shape;
  }
};

}  // namespace tilewright::test
