#include "planner/graph/block_names.h"

#include <fmt/format.h>

namespace tilewright {

std::string block_prefix(std::int64_t block) { return fmt::format("block{}.", block); }

}  // namespace tilewright
