#include "sim/hw/timing/address_map.h"

#include <bit>

#include "sim/base/error.h"

namespace tilewright {
namespace {

// Of numbers that are not negative. Nearly all divisors are powers of two, and a division takes many times a shift.
Address quotient(Address value, Address divisor) {
  const bool power = (divisor & (divisor - 1)) == 0;
  return power ? value >> std::countr_zero(static_cast<std::uint64_t>(divisor)) : value / divisor;
}

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
  const Address channels = quotient(dram.channels, dram.regions), capacity = dram.channel_capacity * channels;
  const Address region = quotient(address, capacity), in_region = address - region * capacity;
  const Address chunk = quotient(in_region, dram.interleave_bytes);
  const Address above = quotient(chunk, channels);
  Address channel = chunk - above * channels;
  // For a given `above` this permutes the channels, so no two addresses meet.
  if (dram.interleave_hash) channel ^= fold(above, std::bit_width(static_cast<std::uint64_t>(channels)) - 1);
  return {static_cast<int>(region * channels + channel),
          above * dram.interleave_bytes + in_region - chunk * dram.interleave_bytes};
}

DramCoordinate coordinate_of(const DramSpec& dram, Address offset) {
  const Bytes chunk_bytes = dram.pseudo_interleave_bytes > 0 ? dram.pseudo_interleave_bytes : dram.interleave_bytes;
  const Address chunk = quotient(offset, chunk_bytes), row_of_chunks = quotient(chunk, dram.pseudo_channels);
  DramCoordinate coordinate;
  coordinate.pseudo_channel = static_cast<int>(chunk - row_of_chunks * dram.pseudo_channels);
  Address burst = quotient(row_of_chunks * chunk_bytes + offset - chunk * chunk_bytes, dram.burst_bytes);
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
