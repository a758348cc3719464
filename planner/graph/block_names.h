// What operators of a network of equal blocks (Graph::repeats) are called.
#pragma once

#include <cstdint>
#include <string>

namespace tilewright {

// What the names of block 1, 2 ... begin with: "block1.".
std::string block_prefix(std::int64_t block);

}  // namespace tilewright
