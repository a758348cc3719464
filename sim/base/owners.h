// Cores or clusters at even distances in number: one, a row or a column of a mesh, a rectangle of it, all.
#pragma once

#include <array>
#include <cstdint>

namespace tilewright {

inline constexpr int kOwnerDims = 2;
inline constexpr int kMostOwners = 65535;  // and steps between them

struct Owners {
  std::array<std::uint16_t, kOwnerDims> count{1, 1}, step{};  // outermost first
  bool operator==(const Owners&) const = default;
  auto operator<=>(const Owners&) const = default;

  std::int64_t size() const { return std::int64_t{count[0]} * count[1]; }
  // `visit(number)` for each, of which `first` is the lowest.
  template <typename Visit>
  void for_each(int first, const Visit& visit) const {
    for (int i = 0; i < count[0]; ++i)
      for (int j = 0; j < count[1]; ++j) visit(first + i * step[0] + j * step[1]);
  }
};

}  // namespace tilewright
