#include "planner/view/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"
#include "sim/base/units.h"

namespace tilewright {
namespace {

constexpr std::int64_t kMaxLaidOut = std::int64_t{1} << 40;
constexpr std::size_t kMaxDimensions = 26;  // letters

// A letter of the tag; block 0: the outer part.
struct TagPart {
  int dimension;
  std::int64_t block;
  bool upper;
};

[[noreturn]] void refuse(std::string_view tag, const std::string& why) {
  throw UserError("", fmt::format("layout '{}': {}", tag, why));
}

std::vector<TagPart> split_tag(std::string_view tag, std::size_t rank) {
  std::vector<TagPart> parts;
  for (std::size_t at = 0; at < tag.size(); ++at) {
    std::int64_t block = 0;
    const std::size_t first = at;
    for (; at < tag.size() && tag[at] >= '0' && tag[at] <= '9'; ++at)
      block = std::min(kMaxLaidOut + 1, block * 10 + (tag[at] - '0'));
    if (at == tag.size()) refuse(tag, "it ends in a number without a dimension");
    const bool upper = tag[at] >= 'A' && tag[at] <= 'Z', lower = tag[at] >= 'a' && tag[at] <= 'z';
    if (!upper && !lower) refuse(tag, fmt::format("'{}' is no dimension, expected a letter", tag[at]));
    const int dimension = tag[at] - (upper ? 'A' : 'a');
    if (dimension >= static_cast<int>(rank))
      refuse(tag, fmt::format("it names dimension '{}', the tensor has {}", tag[at], rank));
    if (at > first && upper)
      refuse(tag, fmt::format("block '{}' is written in lower case", tag.substr(first, at - first + 1)));
    if (at > first && block == 0) refuse(tag, fmt::format("a block of size 0 of dimension '{}'", tag[at]));
    if (block > kMaxLaidOut) refuse(tag, "a block is larger than any tensor");
    parts.push_back({dimension, block, upper});
  }
  return parts;
}

// Each dimension has one outer part, upper case exactly when it has blocks.
void check_parts(const std::vector<TagPart>& parts, std::size_t rank, std::string_view tag) {
  for (int d = 0; d < static_cast<int>(rank); ++d) {
    const char letter = static_cast<char>('a' + d);
    int outer = 0, blocks = 0;
    bool upper = false;
    for (const TagPart& part : parts)
      if (part.dimension == d) {
        (part.block == 0 ? outer : blocks) += 1;
        upper |= part.upper;
      }
    if (outer != 1) refuse(tag, fmt::format("dimension '{}' stands there {} times, expected once", letter, outer));
    if (upper != (blocks > 0))
      refuse(tag, fmt::format("dimension '{}' is written in {} case when it has {}blocks", letter,
                              blocks > 0 ? "upper" : "lower", blocks > 0 ? "" : "no "));
  }
}

std::int64_t times(std::int64_t a, std::int64_t b, std::string_view tag) {
  if (b > 0 && a > kMaxLaidOut / b) refuse(tag, fmt::format("more than {} elements", kMaxLaidOut));
  return a * b;
}

// Blocks of a dimension are nested: a part covers what all later ones of its dimension cover together.
std::vector<LayoutPart> make_parts(const std::vector<TagPart>& tags, const Shape& sizes, std::string_view tag) {
  std::vector<LayoutPart> parts(tags.size());
  std::vector<std::int64_t> covered(sizes.size(), 1);
  for (std::size_t i = tags.size(); i-- > 0;) {
    if (tags[i].block == 0) continue;
    parts[i] = {tags[i].dimension, covered[tags[i].dimension], tags[i].block, 0};
    covered[tags[i].dimension] = times(covered[tags[i].dimension], tags[i].block, tag);
  }
  std::int64_t stride = 1;
  for (std::size_t i = tags.size(); i-- > 0; stride = times(stride, parts[i].extent, tag)) {
    const int d = tags[i].dimension;
    if (tags[i].block == 0) parts[i] = {d, covered[d], ceil_div(sizes[d], covered[d]), 0};
    parts[i].stride = stride;
  }
  return parts;
}

}  // namespace

Layout Layout::plain(const Shape& shape) {
  std::string tag;
  for (std::size_t d = 0; d < shape.size(); ++d) tag += static_cast<char>('a' + d);
  return from_tag(shape, tag);
}

Layout Layout::from_tag(const Shape& shape, std::string_view tag, const Shape& padded, std::int64_t offset) {
  if (shape.size() > kMaxDimensions) refuse(tag, fmt::format("{} dimensions, at most 26 have letters", shape.size()));
  for (const std::int64_t size : shape)
    if (size < 1) refuse(tag, fmt::format("a dimension of size {}", size));
  if (!padded.empty() && padded.size() != shape.size())
    refuse(tag, fmt::format("{} padded sizes for {} dimensions", padded.size(), shape.size()));
  for (const Shape* sizes : {&shape, &padded})
    for (const std::int64_t size : *sizes)
      if (size > kMaxLaidOut) refuse(tag, fmt::format("a dimension of size {}, at most {}", size, kMaxLaidOut));
  for (std::size_t d = 0; d < padded.size(); ++d)
    if (padded[d] < shape[d])
      refuse(tag, fmt::format("dimension '{}' is padded to {}, below its size of {}", static_cast<char>('a' + d),
                              padded[d], shape[d]));
  if (offset < 0 || offset > kMaxLaidOut) refuse(tag, fmt::format("an offset of {}", offset));
  const std::vector<TagPart> tags = split_tag(tag, shape.size());
  check_parts(tags, shape.size(), tag);
  Layout layout;
  layout.shape_ = shape;
  layout.tag_ = tag;
  layout.offset_ = offset;
  layout.parts_ = make_parts(tags, padded.empty() ? shape : padded, tag);
  layout.size_ = offset;
  layout.size_ += layout.parts_.empty() ? 1 : times(layout.parts_[0].extent, layout.parts_[0].stride, tag);
  return layout;
}

bool Layout::is_plain() const { return *this == plain(shape_); }

Layout Layout::filled() const {
  Layout all = *this;
  std::fill(all.shape_.begin(), all.shape_.end(), 1);
  for (const LayoutPart& part : parts_) all.shape_[part.dimension] *= part.extent;
  return all;
}

std::int64_t Layout::physical_of(const std::vector<std::int64_t>& coordinate) const {
  std::int64_t place = offset_;
  for (const LayoutPart& part : parts_) place += coordinate[part.dimension] / part.block % part.extent * part.stride;
  return place;
}

std::optional<std::vector<std::int64_t>> Layout::logical_of(std::int64_t place) const {
  if (place < offset_ || place >= size_) return std::nullopt;
  std::vector<std::int64_t> coordinate(shape_.size(), 0);
  for (const LayoutPart& part : parts_)
    coordinate[part.dimension] += (place - offset_) / part.stride % part.extent * part.block;
  for (std::size_t d = 0; d < shape_.size(); ++d)
    if (coordinate[d] >= shape_[d]) return std::nullopt;
  return coordinate;
}

}  // namespace tilewright
