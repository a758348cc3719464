// How a tensor lies in memory. Every dimension may be cut into blocks, the resulting parts follow each other in any
// order, dimensions may be padded, and the whole may start behind an offset. A plain row-major tensor is the special
// case without blocks. Everything here counts elements.
//
// Layouts are written as oneDNN's format tags (https://oneapi-src.github.io/oneDNN/dev_guide_understanding_memory_
// formats.html): letters name the dimensions from `a` on, outermost part first. A dimension that is blocked is upper
// case where its outer part stands, and each of its blocks is a number and the letter: abc is row-major, acdb NHWC,
// aBcd16b blocks of 16 channels, AB64a64b tiles of 64 x 64, ABcd2a8b4a two levels of blocks of a. Several blocks of one
// dimension are written coarsest first.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "planner/graph/graph.h"

namespace tilewright {

// One loop of the layout: coordinate / block % extent of its dimension, times stride.
struct LayoutPart {
  int dimension = 0;
  std::int64_t block = 1;   // coordinates that one step covers
  std::int64_t extent = 1;  // steps
  std::int64_t stride = 1;  // elements of memory that one step covers
  bool operator==(const LayoutPart&) const = default;
};

class Layout {
 public:
  Layout() = default;
  static Layout plain(const Shape& shape);
  // `padded`: sizes that the dimensions take up, each at least that of `shape`; empty: as the shape. Sizes are further
  // rounded up to whole blocks. UserError (without a place) for a tag that is none or does not fit the shape.
  static Layout from_tag(const Shape& shape, std::string_view tag, const Shape& padded = {}, std::int64_t offset = 0);

  const Shape& shape() const { return shape_; }
  const std::string& tag() const { return tag_; }
  std::int64_t offset() const { return offset_; }
  const std::vector<LayoutPart>& parts() const { return parts_; }  // outermost in memory first
  // From the start of the memory to behind the last element, the offset and all padding included.
  std::int64_t physical_size() const { return size_; }
  // The same memory as a tensor of the sizes that its dimensions take up: all padding is elements.
  Layout filled() const;
  // Row-major without blocks, padding or offset.
  bool is_plain() const;

  // Place of an element of the tensor.
  std::int64_t physical_of(const std::vector<std::int64_t>& coordinate) const;
  // The element at a place; nothing for padding and places outside.
  std::optional<std::vector<std::int64_t>> logical_of(std::int64_t place) const;

  bool operator==(const Layout&) const = default;

 private:
  Shape shape_;
  std::string tag_;
  std::int64_t offset_ = 0, size_ = 1;
  std::vector<LayoutPart> parts_;
};

}  // namespace tilewright
