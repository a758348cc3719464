// A stable hash, for names and identities that must be the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tilewright {

inline constexpr std::uint64_t kFnvStart = 0xcbf29ce484222325u;

// FNV-1a, 64 bit. A hash given as `start` is continued.
inline std::uint64_t fnv1a(std::span<const std::byte> bytes, std::uint64_t start = kFnvStart) {
  std::uint64_t hash = start;
  for (const std::byte byte : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3u;
  return hash;
}

inline std::uint64_t fnv1a(std::string_view text, std::uint64_t start = kFnvStart) {
  return fnv1a(std::as_bytes(std::span(text)), start);
}

}  // namespace tilewright
