// Random copies between views in random layouts: the boxes, applied one by one to plain arrays, must move every element
// to where the element-by-element definition puts it, once, and touch nothing else.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "planner/emit/copy/plan_copy.h"
#include "tests/support/property.h"
#include "tests/support/random_views.h"

namespace tilewright::test {

// A side and what it means: for each coordinate in row-major order the place in memory, found without the product's
// arithmetic (random_views.h, plain_layout.h).
struct CaseSide {
  CopySide side;
  std::vector<std::int64_t> places;
  std::vector<std::int64_t> padding;  // places behind the layout's offset that are no element's, rising
};

struct CopyCase {
  CaseSide from, to;
};

class RandomCopies {
 public:
  explicit RandomCopies(std::uint64_t seed, std::int64_t most = 600) : random_(seed), most_(most) {}

  void run(int cases) {
    for (int i = 0; i < cases && !testing::Test::HasFatalFailure(); ++i) {
      const CopyCase one = next();
      SCOPED_TRACE(describe(one));
      check(one);
    }
  }

  // A copy in memories that may be cut into pieces.
  CopyCase next() {
    CopyCase one = next_whole();
    if (random_.between(0, 7) == 0) cut_into_pieces(one.from), cut_into_pieces(one.to);
    return one;
  }

  // Gather, scatter, or between two views; now and then the output may overlap itself.
  CopyCase next_whole() {
    const bool scatter = random_.between(0, 1) == 0;
    const ViewCase chain = random_.chain(most_, !scatter || random_.between(0, 9) == 0);
    const bool strided = random_.between(0, 3) == 0 && element_count(chain.view.shape) < most_;
    const CaseSide other = side_of(strided ? random_.window_of(chain.view.shape) : whole(chain.view.shape));
    return scatter ? CopyCase{other, side_of(chain)} : CopyCase{side_of(chain), other};
  }

  // Most cases are moved, a few are refused for writing a place twice, and cuts cost next to no runs.
  void expect_a_fair_sample() const {
    EXPECT_GT(refused, 0);
    for (const std::int64_t cases : by_direction) EXPECT_GT(cases, moved / 50);
    EXPECT_GT(moved, 25 * refused);
    EXPECT_GE(runs_of_boxes, runs);
    EXPECT_LT(runs_of_boxes, runs + runs / 50);
  }

  static std::string describe(const CopyCase& one) {
    const auto side = [](const CopySide& s) {
      return fmt::format("{} of {} in '{}' + {}, strides {} + {}, pieces {}:{}", to_string(s.view.shape),
                         to_string(s.layout.shape()), s.layout.tag(), s.layout.offset(), fmt::join(s.view.strides, ","),
                         s.view.offset, s.piece, s.piece_stride);
    };
    return side(one.from.side) + " to " + side(one.to.side);
  }

  std::array<std::int64_t, 4> by_direction{};
  std::int64_t moved = 0, refused = 0, elements = 0;
  std::int64_t boxes = 0, runs_of_boxes = 0, runs = 0;  // of the boxes, runs that are contiguous on both sides

 private:
  static ViewCase whole(const Shape& shape) { return {shape, {}, View::of(shape), PlainArray::of(shape)}; }

  CaseSide side_of(const ViewCase& view) {
    const WrittenLayout layout = random_.layout(view.base);
    const std::vector<std::int64_t> all = PlaceWalk(layout).places();
    CaseSide side{{layout.made(), view.view, 0, 0}, {}, {}};
    std::vector<bool> taken(static_cast<std::size_t>(side.side.layout.physical_size()));
    for (const std::int64_t place : all) taken[place] = true;
    for (std::int64_t place = layout.offset; place < std::ssize(taken); ++place)
      if (!taken[place]) side.padding.push_back(place);
    for (const std::int64_t element : view.plain.elements) side.places.push_back(all.at(element));
    return side;
  }

  void cut_into_pieces(CaseSide& one) {
    CopySide& side = one.side;
    side.piece = random_.between(1, side.layout.physical_size());
    side.piece_stride = side.piece + random_.between(0, 50);
    const auto moved = [&](std::int64_t place) {
      std::int64_t gap = 0;
      for (std::int64_t end = side.piece; place >= end; end += side.piece) gap += side.piece_stride - side.piece;
      return place + gap;
    };
    for (std::int64_t& place : one.places) place = moved(place);
    for (std::int64_t& place : one.padding) place = moved(place);
  }

  static void add_written(const CopyBox& box, std::size_t loop, std::int64_t place, std::vector<std::int64_t>& places) {
    if (loop == box.loops.size()) return places.push_back(place);
    for (std::int64_t i = 0; i < box.loops[loop].count; ++i)
      add_written(box, loop + 1, place + i * box.loops[loop].write, places);
  }

  static void check_padding(const CaseSide& to) {
    std::vector<std::int64_t> places;
    for (const CopyBox& whole : zero_padding(to.side))
      for (const CopyBox& box : limit_loops(whole, 5)) {
        ASSERT_TRUE(box.zeros);
        add_written(box, 0, box.write, places);
      }
    std::sort(places.begin(), places.end());
    ASSERT_EQ(places, to.padding);
  }

  // Source place of every written place.
  static std::map<std::int64_t, std::int64_t> plainly(const CopyCase& one) {
    std::map<std::int64_t, std::int64_t> moved;
    for (std::size_t i = 0; i < one.to.places.size(); ++i) moved[one.to.places[i]] = one.from.places[i];
    return moved;
  }

  static void move(const CopyBox& box, std::size_t loop, std::int64_t read, std::int64_t write,
                   std::map<std::int64_t, std::int64_t>& moved) {
    if (loop == box.loops.size()) {
      ASSERT_TRUE(moved.emplace(write, read).second) << "place " << write << " is written twice";
      return;
    }
    const CopyLoop& l = box.loops[loop];
    for (std::int64_t i = 0; i < l.count; ++i) move(box, loop + 1, read + i * l.read, write + i * l.write, moved);
  }

  void check(const CopyCase& one) {
    const auto expected = plainly(one);
    if (expected.size() < one.to.places.size()) {
      ++refused;
      ASSERT_THROW(plan_copy(one.from.side, one.to.side), UserError);
      return;
    }
    std::map<std::int64_t, std::int64_t> sources;
    for (const CopyBox& whole : plan_copy(one.from.side, one.to.side))
      for (const CopyBox& box : limit_loops(whole, 5)) {
        ASSERT_LE(box.loops.size(), 5U);
        move(box, 0, box.read, box.write, sources);
        ++boxes;
        runs_of_boxes += box.elements() / box.run();
      }
    ASSERT_EQ(sources, expected);
    check_padding(one.to);
    ++moved;
    ++by_direction[static_cast<std::size_t>(direction_of(one.from.side, one.to.side))];
    runs += copy_bound(one.from.side, one.to.side).runs;
    elements += std::ssize(expected);
  }

  RandomViews random_;
  std::int64_t most_;
};

}  // namespace tilewright::test
