#include "sim/isa/request_splitter.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/property.h"

namespace tilewright {
namespace {

constexpr RequestLimits kLimits{256, 256, 64};

std::vector<PlainRequest> split(const Extents& extents, const Strides& strides, Address address, Bytes element,
                                const RequestLimits& limits = kLimits) {
  RequestSplitter splitter(RunWalker(extents, strides, address, element), limits);
  std::vector<PlainRequest> requests;
  while (!splitter.done()) requests.push_back(splitter.next());
  return requests;
}

TEST(RunWalker, MergesDimensionsWithoutGaps) {
  RunWalker runs({1, 1, 4, 8, 16}, {0, 0, 512, 32, 2}, 100, 2);
  EXPECT_EQ(runs.run_bytes(), 256);
  EXPECT_EQ(runs.runs_left(), 4);
  runs.advance();
  EXPECT_EQ(runs.current().address, 612);
}

TEST(RunWalker, WholeBoxIsOneRun) {
  RunWalker runs({2, 3, 4, 5, 6}, {720, 240, 60, 12, 2}, 0, 2);
  EXPECT_EQ(runs.runs_left(), 1);
  EXPECT_EQ(runs.run_bytes(), 1440);
}

TEST(RunWalker, EmptyBoxHasNoRun) { EXPECT_TRUE(RunWalker({1, 1, 1, 0, 4}, {0, 0, 0, 8, 2}, 0, 2).done()); }

TEST(RequestSplitter, CutsAtAlignedBoundaries) {
  const auto requests = split({1, 1, 1, 1, 300}, {0, 0, 0, 0, 2}, 200, 2);
  ASSERT_EQ(requests.size(), 4u);
  EXPECT_EQ(requests[0].address, 200);
  EXPECT_EQ(requests[0].bytes, 56);
  EXPECT_EQ(requests[1].bytes, 256);
  EXPECT_EQ(requests[3].address, 768);
  EXPECT_EQ(requests[3].bytes, 32);
}

TEST(RequestSplitter, JoinsRunsInsideOneBurst) {
  const auto requests = split({1, 1, 1, 1, 32}, {0, 0, 0, 0, 8}, 0, 2);
  ASSERT_EQ(requests.size(), 4u);
  EXPECT_EQ(requests[0].bytes, 58) << "from the first to the last byte wanted";
  EXPECT_EQ(requests[0].useful, 16);
}

TEST(RequestSplitter, DoesNotJoinAcrossBursts) { EXPECT_EQ(split({1, 1, 1, 1, 8}, {0, 0, 0, 0, 64}, 0, 2).size(), 8u); }

// Whatever the box: requests keep the limits and cover exactly the bytes of the box.
TEST(RequestSplitter, CoversRandomBoxes) {
  const test::Property wanted = test::property(7, 300);
  std::mt19937 random(static_cast<unsigned>(wanted.seed));
  for (int round = 0; round < wanted.cases; ++round) {
    Extents extents;
    Strides strides;
    for (int d = 0; d < kBoxDims; ++d) {
      extents[d] = 1 + random() % 4;
      strides[d] = 2 * (random() % 200);
    }
    if (round % 2) strides[4] = 2;
    const auto requests = split(extents, strides, random() % 1000, 2);
    Bytes useful = 0;
    for (const PlainRequest& request : requests) {
      EXPECT_LE(request.bytes, 256);
      EXPECT_EQ(request.address / 256, (request.address + request.bytes - 1) / 256);
      useful += request.useful;
    }
    EXPECT_EQ(useful, 2 * element_count(extents));
  }
}

}  // namespace
}  // namespace tilewright
