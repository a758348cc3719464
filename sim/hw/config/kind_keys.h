// Keys of a hardware file that kinds of clusters may have of their own.
#pragma once

#include <string_view>

namespace tilewright {

inline bool is_key_of_kinds(std::string_view key) {
  if (key == "core.frequency_mhz" || key.starts_with("core.control")) return false;
  return key.starts_with("core.") || key.starts_with("cluster_memory");
}

}  // namespace tilewright
