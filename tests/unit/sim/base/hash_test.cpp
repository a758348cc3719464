// Hashes that stand in files: identities of studies, chips and programs.
#include "sim/base/hash.h"

#include <gtest/gtest.h>

#include <array>

namespace tilewright {
namespace {

// Of the FNV test vectors (Fowler, Noll, Vo; draft-eastlake-fnv).
TEST(Fnv1a, GivesThePublishedHashes) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8u);
}

TEST(Fnv1a, GoesOnWhereItStopped) { EXPECT_EQ(fnv1a("bar", fnv1a("foo")), fnv1a("foobar")); }

TEST(Fnv1a, TakesBytesAboveSevenBits) {
  const std::array bytes{std::byte{0xff}, std::byte{0x80}};
  EXPECT_EQ(fnv1a(bytes), fnv1a("\xff\x80"));
}

}  // namespace
}  // namespace tilewright
