// A stable hash of text, for names and identities that must be the same on every machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilewright {

// FNV-1a, 64 bit. A hash given as `start` is continued.
inline std::uint64_t fnv1a(std::string_view text, std::uint64_t start = 14695981039346656037ull) {
  std::uint64_t hash = start;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

}  // namespace tilewright
