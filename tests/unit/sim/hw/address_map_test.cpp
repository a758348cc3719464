#include "sim/hw/timing/address_map.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <map>
#include <set>
#include <tuple>

#include "sim/base/error.h"

namespace tilewright {
namespace {

using F = AddressField;

DramSpec ddr4(std::vector<AddressSlice> mapping) {
  DramSpec dram;
  dram.channel_capacity = Bytes{8} << 30;
  dram.bank_groups = dram.banks_per_group = 4;
  dram.row_bytes = 8192;
  dram.burst_bytes = 64;
  dram.mapping = std::move(mapping);
  return dram;
}

TEST(AddressMap, RowInterleavedDdr4SplitsAsPublished) {
  // burst 0-5, column 6-12, bank group 13-14, bank 15-16, row 17-32
  DramSpec dram = ddr4({{F::kColumn, 7}, {F::kBankGroup, 2}, {F::kBank, 2}, {F::kRow, 16}});
  Address address = (Address{0xabcd} << 17) | (2 << 15) | (3 << 13) | (77 << 6) | 5;
  EXPECT_EQ(coordinate_of(dram, address), (DramCoordinate{0, 3, 2, 0xabcd, 77}));
}

TEST(AddressMap, BurstInterleavedDdr4SplitsAsPublished) {
  // burst 0-5, bank group 6-7, bank 8-9, column 10-16, row 17-32
  DramSpec dram = ddr4({{F::kBankGroup, 2}, {F::kBank, 2}, {F::kColumn, 7}, {F::kRow, 16}});
  Address address = (Address{0xabcd} << 17) | (77 << 10) | (2 << 8) | (3 << 6) | 5;
  EXPECT_EQ(coordinate_of(dram, address), (DramCoordinate{0, 3, 2, 0xabcd, 77}));
}

TEST(AddressMap, RegionsKeepTheirChannels) {
  DramSpec dram = ddr4({});
  dram.channels = 4;
  dram.regions = 2;
  EXPECT_EQ(locate(dram, 0).channel, 0);
  EXPECT_EQ(locate(dram, 256).channel, 1);
  EXPECT_EQ(locate(dram, 512).channel, 0);
  EXPECT_EQ(locate(dram, 512 + 7).offset, 256 + 7);
  EXPECT_EQ(locate(dram, dram.region_capacity()).channel, 2);
  EXPECT_THROW(locate(dram, dram.capacity()), InternalError);
  EXPECT_THROW(locate(dram, -1), InternalError);
}

TEST(AddressMap, HashBreaksUpAPowerOfTwoStride) {
  DramSpec dram = ddr4({});
  dram.channels = 16;
  auto channels = [&] {
    std::set<int> used;
    for (int i = 0; i < 64; ++i) used.insert(locate(dram, Address{i} * 16 * 256).channel);
    return used.size();
  };
  EXPECT_EQ(channels(), 1u);
  dram.interleave_hash = true;
  EXPECT_EQ(channels(), 16u);
}

// A DRAM so small that all of its bursts can be visited.
DramSpec small_dram() {
  auto bits = [](int low, int high) { return 1 << *rc::gen::inRange(low, high + 1); };
  DramSpec dram;
  dram.burst_bytes = 32;
  dram.interleave_bytes = 32 * bits(0, 2);
  dram.pseudo_interleave_bytes = 32 * bits(0, 2);
  dram.pseudo_channels = bits(0, 1);
  dram.bank_groups = bits(0, 2);
  dram.banks_per_group = bits(0, 2);
  int columns = bits(2, 4), rows = bits(3, 5);
  dram.row_bytes = 32 * columns;
  dram.channel_capacity = dram.row_bytes * rows * dram.bank_groups * dram.banks_per_group * dram.pseudo_channels;
  dram.regions = bits(0, 1);
  dram.interleave_hash = *rc::gen::arbitrary<bool>();
  dram.channels = dram.regions * (dram.interleave_hash ? bits(0, 2) : *rc::gen::inRange(1, 6));
  auto log2 = [](int value) { return static_cast<int>(std::bit_width(static_cast<unsigned>(value))) - 1; };
  dram.mapping = {{F::kColumn, 1},
                  {F::kBankGroup, log2(dram.bank_groups)},
                  {F::kBank, log2(dram.banks_per_group)},
                  {F::kColumn, log2(columns) - 1},
                  {F::kRow, log2(rows)}};
  return dram;
}

TEST(AddressMap, EveryBurstHasItsOwnPlaceAndStaysInsideTheOrganisation) {
  bool holds = rc::check("bijective", [] {
    DramSpec dram = small_dram();
    std::set<std::tuple<int, int, int, int, Address, int>> places;
    for (Address address = 0; address < dram.capacity(); address += dram.burst_bytes) {
      ChannelAddress there = locate(dram, address);
      RC_ASSERT(there.channel >= 0 && there.channel < dram.channels);
      RC_ASSERT(there.offset >= 0 && there.offset < dram.channel_capacity);
      DramCoordinate c = coordinate_of(dram, there.offset);
      RC_ASSERT(c.bank < dram.banks_per_group && c.bank_group < dram.bank_groups);
      RC_ASSERT(places.emplace(there.channel, c.pseudo_channel, c.bank_group, c.bank, c.row, c.column).second);
    }
  });
  EXPECT_TRUE(holds);
}

TEST(BankMap, LinesGoToTheBanksInTurnUnlessTheyAreHashed) {
  ClusterMemorySpec memory;
  memory.banks = 4;
  EXPECT_EQ(bank_of(memory, 7), 3);
  EXPECT_EQ(bank_of(memory, 16), 0);
  memory.bank_hash = true;
  EXPECT_EQ(bank_of(memory, 3), 3);
  EXPECT_EQ(bank_of(memory, 7), 2);
  memory.banks = 1;
  EXPECT_EQ(bank_of(memory, 7), 0);
}

// Of the lines of a power of two of pages, and of neighbours, as many in every bank.
TEST(BankMap, HashedLinesAPowerOfTwoApartShareTheBanks) {
  ClusterMemorySpec memory;
  memory.banks = 8, memory.bank_hash = true;
  for (const Address step : {1, 8, 64}) {
    std::map<int, int> lines;
    for (Address i = 0; i < 64; ++i) ++lines[bank_of(memory, i * step)];
    ASSERT_EQ(lines.size(), 8u) << step;
    for (const auto& [bank, count] : lines) EXPECT_EQ(count, 8) << step << " bank " << bank;
  }
}

}  // namespace
}  // namespace tilewright
