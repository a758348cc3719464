#include "sim/isa/verify/written_bytes.h"

#include <algorithm>
#include <bit>

namespace tilewright {
namespace {

// The bits of one word that the bytes [first, end) of a memory have there.
std::uint64_t bits_of(Bytes word, Bytes first, Bytes end) {
  const Bytes from = std::max<Bytes>(first - word * 64, 0), to = std::min<Bytes>(end - word * 64, 64);
  const std::uint64_t up_to = to == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << to) - 1;
  return up_to & (~std::uint64_t{0} << from);
}

}  // namespace

void WrittenBytes::add(const Footprint& footprint) {
  footprint.for_each_run([&](Address address, Bytes bytes) {
    const Bytes first = address - low_, end = first + bytes;
    for (Bytes word = first / 64; word * 64 < end; ++word) words_[word] |= bits_of(word, first, end);
  });
}

std::optional<Address> WrittenBytes::first_missing(Address address, Bytes bytes) const {
  const Bytes first = address - low_, end = first + bytes;
  for (Bytes word = first / 64; word * 64 < end; ++word) {
    const std::uint64_t missing = bits_of(word, first, end) & ~words_[word];
    if (missing != 0) return low_ + word * 64 + std::countr_zero(missing);
  }
  return std::nullopt;
}

// Windows of a convolution are many short runs in bytes that are mostly all there, which one look at their span tells.
std::optional<Address> WrittenBytes::first_missing(const Footprint& footprint) const {
  if (!first_missing(footprint.low(), footprint.high() - footprint.low())) return std::nullopt;
  std::optional<Address> missing;
  footprint.for_each_run([&](Address address, Bytes bytes) {
    if (!missing) missing = first_missing(address, bytes);
  });
  return missing;
}

}  // namespace tilewright
