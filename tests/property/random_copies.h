// Random copies between views in random layouts: the boxes, applied one by one to plain arrays, must move every element
// to where the element-by-element definition puts it, once, and touch nothing else.
#pragma once

#include <gtest/gtest.h>

#include "planner/passes/layout_copy.h"
#include "tests/support/random_views.h"

namespace tilewright::test {

struct CopyCase {
  CopySide from, to;
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

  // Gather or scatter; now and then the output may overlap itself.
  CopyCase next_whole() {
    const bool scatter = random_.between(0, 1) == 0;
    const ViewCase chain = random_.chain(most_, !scatter || random_.between(0, 9) == 0);
    const CopySide viewed{random_.layout(chain.base), chain.view, 0, 0};
    const CopySide plain = CopySide::whole(random_.layout(chain.view.shape));
    return scatter ? CopyCase{plain, viewed} : CopyCase{viewed, plain};
  }

  // Most cases are moved, a few are refused for writing a place twice, and cuts cost next to no runs.
  void expect_a_fair_sample() const {
    EXPECT_GT(refused, 0);
    EXPECT_GT(moved, 100 * refused);
    EXPECT_GE(runs_of_boxes, runs);
    EXPECT_LT(runs_of_boxes, runs + runs / 50);
  }

  static std::string describe(const CopyCase& one) {
    const auto side = [](const CopySide& s) {
      return fmt::format("{} of {} in '{}' + {}, strides {} + {}, pieces {}:{}", to_string(s.view.shape),
                         to_string(s.layout.shape()), s.layout.tag(), s.layout.offset(), fmt::join(s.view.strides, ","),
                         s.view.offset, s.piece, s.piece_stride);
    };
    return side(one.from) + " to " + side(one.to);
  }

  std::int64_t moved = 0, refused = 0, elements = 0;
  std::int64_t boxes = 0, runs_of_boxes = 0, runs = 0;  // of the boxes, runs that are contiguous on both sides

 private:
  void cut_into_pieces(CopySide& side) {
    side.piece = random_.between(1, side.layout.physical_size());
    side.piece_stride = side.piece + random_.between(0, 50);
  }

  // Source place of every written place.
  static std::map<std::int64_t, std::int64_t> plainly(const CopyCase& one) {
    std::map<std::int64_t, std::int64_t> moved;
    for_each_coordinate(one.to.view.shape,
                        [&](const Coordinate& x) { moved[one.to.place_of(x)] = one.from.place_of(x); });
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
    if (std::ssize(expected) < element_count(one.to.view.shape)) {
      ++refused;
      ASSERT_THROW(plan_copy(one.from, one.to), UserError);
      return;
    }
    std::map<std::int64_t, std::int64_t> sources;
    for (const CopyBox& whole : plan_copy(one.from, one.to))
      for (const CopyBox& box : limit_loops(whole, 5)) {
        ASSERT_LE(box.loops.size(), 5U);
        move(box, 0, box.read, box.write, sources);
        ++boxes;
        runs_of_boxes += box.elements() / box.run();
      }
    ASSERT_EQ(sources, expected);
    ++moved;
    runs += bound_of(one.from, one.to).runs;
    elements += std::ssize(expected);
  }

  RandomViews random_;
  std::int64_t most_;
};

}  // namespace tilewright::test
