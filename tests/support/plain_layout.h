// What a layout means, without strides or divisions: memory is walked place by place in the order that the tag gives.
#pragma once

#include <string>
#include <vector>

#include "planner/view/layout.h"

namespace tilewright::test {

// A layout as the user writes it.
struct WrittenLayout {
  Shape shape;
  std::string tag;
  Shape padded;  // empty: as the shape
  std::int64_t offset = 0;

  Layout made() const { return Layout::from_tag(shape, tag, padded, offset); }
};

// Walks the parts of a tag as nested loops, the first letter outermost; every turn of the innermost one is one place.
class PlaceWalk {
 public:
  explicit PlaceWalk(const WrittenLayout& layout) : layout_(layout), size_(layout.offset) {
    Shape blocks(layout.shape.size(), 1);  // elements of each dimension that its blocks cover
    std::int64_t number = 0;
    for (const char c : layout.tag) {
      if (c >= '0' && c <= '9') {
        number = number * 10 + (c - '0');
        continue;
      }
      loops_.push_back({static_cast<std::size_t>(c >= 'a' ? c - 'a' : c - 'A'), number, 1});
      if (number > 0) blocks[loops_.back().dimension] *= number;
      number = 0;
    }
    Shape inner = blocks;
    for (Loop& loop : loops_) {
      const std::size_t d = loop.dimension;
      const std::int64_t padded = layout.padded.empty() ? layout.shape[d] : layout.padded[d];
      if (loop.count > 0) loop.step = inner[d] /= loop.count;
      if (loop.count > 0) continue;
      loop.step = blocks[d];
      while (loop.count * blocks[d] < padded) ++loop.count;
    }
    places_.resize(static_cast<std::size_t>(element_count(layout.shape)));
    at_.resize(layout.shape.size(), 0);
    walk(0);
  }

  // Of the elements, row-major.
  const std::vector<std::int64_t>& places() const { return places_; }
  std::int64_t size() const { return size_; }

 private:
  struct Loop {
    std::size_t dimension;
    std::int64_t count, step;  // iterations, 0 not known yet; coordinates that each covers
  };

  void walk(std::size_t loop) {
    if (loop == loops_.size()) {
      stand();
      return;
    }
    const auto [dimension, count, step] = loops_[loop];
    for (std::int64_t i = 0; i < count; ++i, at_[dimension] += step) walk(loop + 1);
    at_[dimension] -= count * step;
  }

  // At the next place.
  void stand() {
    bool inside = true;
    std::int64_t element = 0;
    for (std::size_t d = 0; d < at_.size(); ++d) {
      inside &= at_[d] < layout_.shape[d];
      element = element * layout_.shape[d] + at_[d];
    }
    if (inside) places_[static_cast<std::size_t>(element)] = size_;
    ++size_;
  }

  const WrittenLayout& layout_;
  std::vector<Loop> loops_;
  std::vector<std::int64_t> places_, at_;
  std::int64_t size_;
};

}  // namespace tilewright::test
