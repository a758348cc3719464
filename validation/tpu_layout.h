// How TPUs lay out arrays: in tiles of 8 sublanes x 128 lanes.
#pragma once

#include <cstdint>

namespace tilewright {

inline constexpr std::int64_t kSublanes = 8, kLanes = 128;

}  // namespace tilewright
