// Which keys of a hardware file kinds of clusters may have of their own.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace tilewright {

// Of `core`, what is the same for all: one clock, one way of signals and one launch.
inline constexpr std::array<std::string_view, 2> kKeysOfAllCores{"core.frequency_mhz", "core.control"};

inline bool is_key_of_kinds(std::string_view key) {
  const auto leads_to = [&](std::string_view prefix) { return key.starts_with(prefix); };
  if (std::ranges::any_of(kKeysOfAllCores, leads_to)) return false;
  return key.starts_with("core.") || key.starts_with("cluster_memory");
}

}  // namespace tilewright
