// Layouts: places of elements against a count through the parts, and tags that are none.
#include "planner/view/layout.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "tests/support/bad_file.h"
#include "tests/support/random_views.h"

namespace tilewright {
namespace {

using test::Coordinate;
using testing_support::message_of;

TEST(Layouts, KnownFormats) {
  const Shape nchw{2, 6, 4, 5};
  EXPECT_EQ(Layout::from_tag(nchw, "abcd").physical_of({1, 2, 3, 4}), ((1 * 6 + 2) * 4 + 3) * 5 + 4);
  EXPECT_EQ(Layout::from_tag(nchw, "acdb").physical_of({1, 2, 3, 4}), ((1 * 4 + 3) * 5 + 4) * 6 + 2);
  // Channels in blocks of 4: 6 of them take up two blocks.
  const Layout blocked = Layout::from_tag(nchw, "aBcd4b");
  EXPECT_EQ(blocked.physical_of({1, 5, 3, 4}), (((1 * 2 + 1) * 4 + 3) * 5 + 4) * 4 + 1);
  EXPECT_EQ(blocked.physical_size(), 2 * 8 * 4 * 5);
  EXPECT_EQ(Layout::from_tag({128, 100}, "AB64a64b").physical_of({65, 70}), (1 * 2 + 1) * 4096 + 1 * 64 + 6);
  EXPECT_EQ(Layout::from_tag({16}, "A2a4a").physical_of({13}), 8 * 1 + 4 * 1 + 1);
  EXPECT_EQ(Layout::from_tag({3, 5}, "ab", {3, 8}, 7).physical_of({2, 4}), 7 + 2 * 8 + 4);
  EXPECT_EQ(Layout::from_tag({3, 5}, "ab", {3, 8}, 7).physical_size(), 7 + 24);
}

TEST(Layouts, EveryElementHasItsOwnPlaceAndEveryPlaceAtMostOneElement) {
  test::RandomViews random(5);
  for (int i = 0; i < 1000; ++i) {
    const Layout layout = random.layout(random.shape(200)).made();
    std::set<std::int64_t> places;
    test::for_each_coordinate(layout.shape(), [&](const Coordinate& c) {
      const std::int64_t place = layout.physical_of(c);
      ASSERT_TRUE(places.insert(place).second) << layout.tag();
      ASSERT_EQ(layout.logical_of(place), c) << layout.tag();
    });
    if (HasFatalFailure()) return;
    ASSERT_GE(*places.begin(), layout.offset());
    ASSERT_LT(*places.rbegin(), layout.physical_size());
    for (std::int64_t place = 0; place <= layout.physical_size(); ++place)
      ASSERT_EQ(layout.logical_of(place).has_value(), places.contains(place)) << layout.tag();
  }
}

TEST(Layouts, PlacesAreThoseOfAWalkThroughTheTag) {
  test::RandomViews random(6);
  for (int i = 0; i < 1000; ++i) {
    const test::WrittenLayout written = random.layout(random.shape(200));
    const Layout layout = written.made();
    const test::PlaceWalk walk(written);
    ASSERT_EQ(layout.physical_size(), walk.size()) << written.tag;
    std::size_t element = 0;
    test::for_each_coordinate(written.shape, [&](const Coordinate& c) {
      ASSERT_EQ(layout.physical_of(c), walk.places()[element++]) << written.tag;
    });
  }
}

TEST(Layouts, PlainIsRowMajor) {
  EXPECT_TRUE(Layout::from_tag({3, 5}, "ab").is_plain());
  EXPECT_FALSE(Layout::from_tag({3, 5}, "ba").is_plain());
  EXPECT_FALSE(Layout::from_tag({3, 5}, "ab", {3, 6}).is_plain());
  EXPECT_FALSE(Layout::from_tag({3, 5}, "ab", {}, 1).is_plain());
  EXPECT_EQ(Layout::plain({}).physical_size(), 1);
}

std::string refusal(std::string_view tag, const Shape& padded = {}, std::int64_t offset = 0) {
  return message_of([&] { Layout::from_tag({8, 6}, tag, padded, offset); });
}

TEST(Layouts, TagsThatAreNone) {
  EXPECT_EQ(refusal("a"), "layout 'a': dimension 'b' stands there 0 times, expected once");
  EXPECT_EQ(refusal("aab"), "layout 'aab': dimension 'a' stands there 2 times, expected once");
  EXPECT_EQ(refusal("abc"), "layout 'abc': it names dimension 'c', the tensor has 2");
  EXPECT_EQ(refusal("aB"), "layout 'aB': dimension 'b' is written in lower case when it has no blocks");
  EXPECT_EQ(refusal("ab4b"), "layout 'ab4b': dimension 'b' is written in upper case when it has blocks");
  EXPECT_EQ(refusal("aB4B"), "layout 'aB4B': block '4B' is written in lower case");
  EXPECT_EQ(refusal("aB0b"), "layout 'aB0b': a block of size 0 of dimension 'b'");
  EXPECT_EQ(refusal("aB4"), "layout 'aB4': it ends in a number without a dimension");
  EXPECT_EQ(refusal("a-b"), "layout 'a-b': '-' is no dimension, expected a letter");
  EXPECT_EQ(refusal("ab", {std::numeric_limits<std::int64_t>::max(), 1024}),
            "layout 'ab': a dimension of size 9223372036854775807, at most 1099511627776");
  EXPECT_EQ(refusal("ab", {8}), "layout 'ab': 1 padded sizes for 2 dimensions");
  EXPECT_EQ(refusal("ab", {8, 5}), "layout 'ab': dimension 'b' is padded to 5, below its size of 6");
  EXPECT_EQ(refusal("ab", {}, -1), "layout 'ab': an offset of -1");
  EXPECT_EQ(refusal("aB9999999999999999999999b"),
            "layout 'aB9999999999999999999999b': a block is larger than any tensor");
  EXPECT_EQ(refusal("AB1000000a10000000b"), "layout 'AB1000000a10000000b': more than 1099511627776 elements");
}

}  // namespace
}  // namespace tilewright
