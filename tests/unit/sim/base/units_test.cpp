// Ranges of addresses cut at the multiples of a chunk.
#include "sim/base/units.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <utility>
#include <vector>

namespace tilewright {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::vector<std::pair<Address, Bytes>> pieces(Address address, Bytes bytes, Bytes chunk) {
  std::vector<std::pair<Address, Bytes>> all;
  for_each_chunk(address, bytes, chunk, [&](Address at, Bytes size) { all.emplace_back(at, size); });
  return all;
}

TEST(Chunks, CutAtMultiplesOnly) {
  EXPECT_THAT(pieces(100, 300, 128), ElementsAre(Pair(100, 28), Pair(128, 128), Pair(256, 128), Pair(384, 16)));
  EXPECT_THAT(pieces(128, 128, 128), ElementsAre(Pair(128, 128)));
  EXPECT_THAT(pieces(130, 5, 128), ElementsAre(Pair(130, 5)));
  EXPECT_THAT(pieces(130, 0, 128), IsEmpty());
}

RC_GTEST_PROP(Chunks, PiecesMeetAndStayInOneChunk, ()) {
  const Address address = *rc::gen::inRange<Address>(0, 2000);
  const Bytes bytes = *rc::gen::inRange<Bytes>(1, 2000), chunk = *rc::gen::inRange<Bytes>(1, 300);
  Address at = address;
  const auto all = pieces(address, bytes, chunk);
  for (const auto& [begin, size] : all) {
    RC_ASSERT(begin == at && size > 0);
    RC_ASSERT(begin / chunk == (begin + size - 1) / chunk);
    at += size;
  }
  RC_ASSERT(at == address + bytes);
  RC_ASSERT(std::ssize(all) == (address + bytes - 1) / chunk - address / chunk + 1);
}

}  // namespace
}  // namespace tilewright
