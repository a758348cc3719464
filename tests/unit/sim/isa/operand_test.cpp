// Footprints against a plain set of bytes.
#include "sim/isa/operand.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

namespace tilewright {
namespace {

struct Walk {
  Address low = 0;
  Bytes element = 1;
  int dims = 0;
  Repeats repeats{};
};

Walk random_walk() {
  Walk walk;
  walk.low = *rc::gen::inRange(0, 80);
  walk.element = *rc::gen::inRange(1, 4);
  walk.dims = *rc::gen::inRange(0, 4);
  for (int d = 0; d < walk.dims; ++d) walk.repeats[d] = {*rc::gen::inRange(1, 5), *rc::gen::inRange(0, 24)};
  return walk;
}

Footprint footprint(const Walk& w) { return {w.low, w.element, w.repeats, w.dims}; }

void visit(const Walk& w, int dim, Address at, std::multiset<Address>& out) {
  if (dim == w.dims) {
    for (Bytes b = 0; b < w.element; ++b) out.insert(at + b);
    return;
  }
  for (std::int64_t i = 0; i < w.repeats[dim].count; ++i) visit(w, dim + 1, at + i * w.repeats[dim].stride, out);
}

std::multiset<Address> bytes(const Walk& w) {
  std::multiset<Address> out;
  visit(w, 0, w.low, out);
  return out;
}

bool meet(const std::multiset<Address>& p, const std::multiset<Address>& q) {
  return std::any_of(p.begin(), p.end(), [&](Address a) { return q.contains(a); });
}

TEST(Footprint, TouchesExactlyWhenAByteIsShared) {
  EXPECT_TRUE(rc::check([] {
    for (int i = 0; i < 20; ++i) {
      const Walk p = random_walk(), q = random_walk();
      RC_ASSERT(touches(footprint(p), footprint(q)) == meet(bytes(p), bytes(q)));
    }
  }));
}

TEST(Footprint, SpansItsBytesAndCoversOnlySubsets) {
  EXPECT_TRUE(rc::check([] {
    const Walk p = random_walk(), q = random_walk();
    const auto inside = bytes(p), other = bytes(q);
    RC_ASSERT(footprint(p).low() == *inside.begin());
    RC_ASSERT(footprint(p).high() == *inside.rbegin() + 1);
    if (!footprint(p).covers(footprint(q))) return;
    RC_ASSERT(std::all_of(other.begin(), other.end(), [&](Address a) { return inside.contains(a); }));
  }));
}

TEST(Footprint, NoOverlapOfItselfMeansNoByteTwice) {
  EXPECT_TRUE(rc::check([] {
    const Walk p = random_walk();
    if (overlaps_itself(p.element, p.repeats, p.dims)) return;
    const auto all = bytes(p);
    RC_ASSERT(std::set<Address>(all.begin(), all.end()).size() == all.size());
  }));
}

// A tensor [64][512] bf16 stored in tiles of 32 columns: the address ranges interleave, the bytes do not.
TEST(Footprint, NeighbouringColumnTilesDoNotTouch) {
  const Repeats tile{Repeat{64, 1024}, Repeat{32, 2}};
  const Footprint first(0, 2, tile, 2), second(64, 2, tile, 2), shifted(62, 2, tile, 2);
  EXPECT_FALSE(touches(first, second));
  EXPECT_TRUE(touches(first, shifted));
}

TEST(Footprint, DifferentViewsOfOneTensorAreCompared) {
  const Footprint even_rows(0, 2, {Repeat{32, 2048}, Repeat{512, 2}}, 2);
  const Footprint odd_row_tile(1024, 2, {Repeat{4, 4096}, Repeat{16, 2}}, 2);
  EXPECT_FALSE(touches(even_rows, odd_row_tile));
  EXPECT_TRUE(touches(even_rows, Footprint(0, 2, {Repeat{3, 1024}}, 1)));
}

}  // namespace
}  // namespace tilewright
