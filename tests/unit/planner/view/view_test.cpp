// Views against plain arrays of element numbers.
#include "planner/view/view.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "tests/support/bad_file.h"
#include "tests/support/random_views.h"

namespace tilewright {
namespace {

using test::Coordinate;
using test::PlainArray;
using test::RandomViews;
using testing_support::message_of;

void expect_same(const View& view, const PlainArray& plain) {
  ASSERT_EQ(view.shape, plain.shape);
  std::size_t i = 0;
  test::for_each_coordinate(view.shape,
                            [&](const Coordinate& c) { ASSERT_EQ(view.element_at(c), plain.elements[i++]); });
  EXPECT_EQ(view.last_element(), *std::max_element(plain.elements.begin(), plain.elements.end()));
}

// Strides that reach the elements of `plain`, if there are any.
bool has_strides(const PlainArray& plain) {
  View view{plain.shape, std::vector<std::int64_t>(plain.shape.size(), 0), plain.elements[0]};
  for (std::size_t d = 0; d < plain.shape.size(); ++d) {
    Coordinate one(plain.shape.size(), 0);
    one[d] = plain.shape[d] > 1;
    view.strides[d] = plain.at(one) - plain.elements[0];
  }
  bool same = true;
  std::size_t i = 0;
  test::for_each_coordinate(view.shape,
                            [&](const Coordinate& c) { same &= view.element_at(c) == plain.elements[i++]; });
  return same;
}

TEST(Views, ChainsReachTheElementsTheyMean) {
  RandomViews random(1);
  for (int i = 0; i < 2000; ++i) {
    const test::ViewCase one = random.chain(300);
    expect_same(one.view, one.plain);
    if (HasFatalFailure()) return;
  }
}

TEST(Views, ContiguousMeansNeighboursInOrder) {
  RandomViews random(2);
  int contiguous = 0;
  for (int i = 0; i < 2000; ++i) {
    const test::ViewCase one = random.chain(300);
    bool neighbours = true;
    for (std::size_t j = 0; j < one.plain.elements.size(); ++j)
      neighbours &= one.plain.elements[j] == one.plain.elements[0] + static_cast<std::int64_t>(j);
    ASSERT_EQ(is_contiguous(one.view), neighbours);
    contiguous += neighbours;
  }
  EXPECT_GT(contiguous, 200);
  EXPECT_LT(contiguous, 1800);
}

TEST(Views, OverlapMeansThatAnElementStandsThereTwice) {
  RandomViews random(3);
  int overlapping = 0;
  for (int i = 0; i < 2000; ++i) {
    const test::ViewCase one = random.chain(300);
    const std::set<std::int64_t> different(one.plain.elements.begin(), one.plain.elements.end());
    ASSERT_EQ(overlaps_itself(one.view), different.size() < one.plain.elements.size());
    overlapping += overlaps_itself(one.view);
  }
  EXPECT_GT(overlapping, 200);
}

TEST(Views, OverlapOfUnrelatedStrides) {
  for (std::int64_t a = 1; a < 12; ++a)
    for (std::int64_t b = 1; b < 12; ++b)
      for (std::int64_t n = 1; n < 5; ++n) {
        const ViewStep step{.op = ViewOp::kAsStrided, .shape = {n, 4, 3}, .strides = {a, b, 7}};
        const View view = apply(step, View::of({100}), {100});
        const PlainArray plain = apply_plainly(step, PlainArray::of({100}));
        const std::set<std::int64_t> different(plain.elements.begin(), plain.elements.end());
        ASSERT_EQ(overlaps_itself(view), different.size() < plain.elements.size()) << a << " " << b << " " << n;
      }
}

TEST(Views, ViewIsRefusedExactlyWhenNoStridesReachTheElements) {
  RandomViews random(4);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const test::ViewCase one = random.chain(200);
    ViewStep step = random.random_step(one.plain, 200, true);
    if (step.op != ViewOp::kView) continue;
    const bool fits = strides_after_view(one.view, step.shape).has_value();
    ASSERT_EQ(fits, has_strides(apply_plainly(step, one.plain)));
    refused += !fits;
  }
  EXPECT_GT(refused, 100);
}

TEST(Views, CountFromTheEndAndFillIn) {
  const View view = View::of({4, 6, 10});
  EXPECT_EQ(view.reshaped({-1, 5}).shape, (Shape{48, 5}));
  EXPECT_EQ(view.sliced(-1, -4, -1, 2), view.sliced(2, 6, 9, 2));
  EXPECT_EQ(view.selected(0, -1), view.selected(0, 3));
  EXPECT_EQ(view.selected(1, 2).expanded({7, -1, 10}).shape, (Shape{7, 4, 10}));
  EXPECT_EQ(view.permuted({-1, 0, 1}), view.permuted({2, 0, 1}));
}

// As x[start:stop:step] in PyTorch: what lies beyond is moved to the ends, and nothing may be left.
TEST(Views, SlicesEndWhereTheTensorEnds) {
  const View view = View::of({4, 6});
  EXPECT_EQ(view.sliced(0, 2, 4, 1), view.sliced(0, 2, 5, 1));
  EXPECT_EQ(view.sliced(1, 1, 6, 2), view.sliced(1, -5, 1000, 2));
  EXPECT_EQ(view.sliced(1, 0, 3, 1), view.sliced(1, -100, 3, 1));
  EXPECT_EQ(view.sliced(0, 2, 2, 1).shape, (Shape{0, 6}));
  EXPECT_EQ(view.sliced(0, 3, 1, 1).shape, (Shape{0, 6}));
  EXPECT_EQ(view.sliced(1, 9, 12, 1).shape, (Shape{4, 0}));
  EXPECT_EQ(view.sliced(1, 0, -7, 1).shape, (Shape{4, 0}));
  EXPECT_EQ(view.narrowed(1, 6, 0).shape, (Shape{4, 0}));
}

// As x[start:stop:step] in NumPy, and torch.flip.
TEST(Views, SlicesDownwards) {
  const View view = View::of({4, 6});
  const View turned = view.flipped({1});
  EXPECT_EQ(turned.offset, 5);
  EXPECT_EQ(turned.strides, (std::vector<std::int64_t>{6, -1}));
  EXPECT_EQ(view.sliced(1, 6, -7, -1), turned);     // x[:, ::-1]
  EXPECT_EQ(view.sliced(1, 5, -100, -1), turned);   // nothing lies before the first
  EXPECT_EQ(view.sliced(1, 1000, -7, -1), turned);  // nor behind the last
  EXPECT_EQ(view.sliced(1, -1, -7, -2).shape, (Shape{4, 3}));
  EXPECT_EQ(view.sliced(1, 4, 1, -2).offset, 4);  // 4 and 2
  EXPECT_EQ(view.sliced(1, 4, 1, -2).shape, (Shape{4, 2}));
  EXPECT_EQ(view.sliced(1, 4, -1, -1).shape, (Shape{4, 0}));  // -1 is the last
  EXPECT_EQ(view.sliced(1, 2, 2, -1).shape, (Shape{4, 0}));
  EXPECT_EQ(view.sliced(1, -100, -7, -1).shape, (Shape{4, 0}));
  EXPECT_EQ(view.sliced(0, 3, -5, std::numeric_limits<std::int64_t>::min()).shape, (Shape{1, 6}));
  EXPECT_EQ(view.flipped({0, -1}).flipped({1, 0}), view);
  EXPECT_EQ(view.flipped({0, 1}).reshaped({24}), View::of({24}).flipped({0}));
  EXPECT_EQ(message_of([&] { turned.reshaped({24}); }),
            "view 24 of shape 4x6: its elements are not neighbours, copy it first");
  EXPECT_EQ(message_of([&] { view.flipped({1, -1}); }), "flip names dimension 1 twice");
}

TEST(Views, EmptyViewsStayEmpty) {
  const View empty = View::of({4, 6}).sliced(0, 2, 2, 1);
  EXPECT_EQ(empty.reshaped({3, 0}).shape, (Shape{3, 0}));
  EXPECT_EQ(empty.permuted({1, 0}).shape, (Shape{6, 0}));
  EXPECT_EQ(message_of([&] { empty.reshaped({-1, 0}); }), "view -1x0: beside a size of 0, -1 could be any size");
  EXPECT_EQ(message_of([&] { empty.reshaped({2}); }), "view 2 of shape 0x6: 2 elements against 0");
  EXPECT_EQ(message_of([&] { empty.selected(0, 0); }), "index 0 does not fit dimension 0 of size 0");
  EXPECT_TRUE(is_contiguous(empty));
  EXPECT_FALSE(overlaps_itself(empty));
  EXPECT_FALSE(overlaps_itself(empty.unsqueezed(0).expanded({3, 0, 6})));
}

TEST(Views, WhatDoesNotFitIsRefused) {
  const View view = View::of({4, 6});
  const View turned = view.transposed(0, 1);
  EXPECT_EQ(message_of([&] { view.reshaped({5, 5}); }), "view 5x5 of shape 4x6: 25 elements against 24");
  EXPECT_EQ(message_of([&] { turned.reshaped({24}); }),
            "view 24 of shape 6x4: its elements are not neighbours, copy it first");
  EXPECT_EQ(message_of([&] { view.permuted({0}); }), "permute names 1 dimensions of a view of rank 2");
  EXPECT_EQ(message_of([&] { view.permuted({1, 1}); }), "permute names dimension 1 twice");
  EXPECT_EQ(message_of([&] { view.sliced(0, 0, 4, 0); }), "slice with a step of 0");
  EXPECT_EQ(message_of([&] { view.narrowed(1, 5, 2); }),
            "narrow to 2 elements from 5 does not fit dimension 1 of size 6");
  EXPECT_EQ(message_of([&] { view.selected(1, 6); }), "index 6 does not fit dimension 1 of size 6");
  EXPECT_EQ(message_of([&] { view.expanded({4, 12}); }), "expand 4x12 of shape 4x6: only sizes of 1 can be repeated");
  EXPECT_EQ(message_of([&] { view.squeezed(0); }), "squeeze of dimension 0 of size 4");
  EXPECT_EQ(message_of([&] { view.unfolded(0, 5, 1); }),
            "windows of 5 elements every 1 do not fit dimension 0 of size 4");
  EXPECT_EQ(message_of([&] {
              strided_view({24}, {4, 4}, {7, 1}, 1);
            }),
            "as_strided 4x4 from 1 leaves the tensor of 24 elements");
}

}  // namespace
}  // namespace tilewright
