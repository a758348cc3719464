#include "sim/hw/timing/address_map.h"

#include <bit>

#include "sim/base/error.h"

namespace tilewright {
namespace {

// Exclusive or of all groups of `bits` bits.
Address fold(Address value, int bits) {
  Address folded = 0;
  for (; bits > 0 && value != 0; value >>= bits) folded ^= value & ((Address{1} << bits) - 1);
  return folded;
}

// `value` is appended above the `bits_so_far` low bits of a field that several slices may fill.
template <typename T>
void append(T& field, Address value, int& bits_so_far, int bits) {
  field |= static_cast<T>(value << bits_so_far);
  bits_so_far += bits;
}

void put(DramCoordinate& coordinate, AddressField field, Address value, int (&so_far)[4], int bits) {
  int& filled = so_far[static_cast<int>(field)];
  switch (field) {
    case AddressField::kColumn:
      return append(coordinate.column, value, filled, bits);
    case AddressField::kBankGroup:
      return append(coordinate.bank_group, value, filled, bits);
    case AddressField::kBank:
      return append(coordinate.bank, value, filled, bits);
    case AddressField::kRow:
      return append(coordinate.row, value, filled, bits);
  }
}

}  // namespace

ChannelAddress locate(const DramSpec& dram, Address address) {
  SIM_CHECK(address >= 0 && address < dram.capacity(), "address {} outside {} bytes", address, dram.capacity());
  Address region = address / dram.region_capacity();
  Address in_region = address % dram.region_capacity();
  Address channels = dram.channels / dram.regions;
  Address chunk = in_region / dram.interleave_bytes;
  Address channel = chunk % channels;
  Address above = chunk / channels;
  // For a given `above` this permutes the channels, so no two addresses meet.
  if (dram.interleave_hash) channel ^= fold(above, std::bit_width(static_cast<std::uint64_t>(channels)) - 1);
  return {static_cast<int>(region * channels + channel),
          above * dram.interleave_bytes + in_region % dram.interleave_bytes};
}

DramCoordinate coordinate_of(const DramSpec& dram, Address offset) {
  Bytes chunk_bytes = dram.pseudo_interleave_bytes > 0 ? dram.pseudo_interleave_bytes : dram.interleave_bytes;
  Address chunk = offset / chunk_bytes;
  DramCoordinate coordinate;
  coordinate.pseudo_channel = static_cast<int>(chunk % dram.pseudo_channels);
  Address burst = (chunk / dram.pseudo_channels * chunk_bytes + offset % chunk_bytes) / dram.burst_bytes;
  int so_far[4] = {0, 0, 0, 0};
  for (const AddressSlice& slice : dram.mapping) {
    put(coordinate, slice.field, burst & ((Address{1} << slice.bits) - 1), so_far, slice.bits);
    burst >>= slice.bits;
  }
  return coordinate;
}

int bank_of(const ClusterMemorySpec& memory, Address line) {
  // As many as a power of two.
  const int bits = std::bit_width(static_cast<unsigned>(memory.banks)) - 1;
  return static_cast<int>(memory.bank_hash ? fold(line, bits) : line % memory.banks);
}

}  // namespace tilewright
