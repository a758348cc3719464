#include "sim/isa/program.h"

namespace tilewright {

std::string_view name_of(SegmentKind kind) {
  static constexpr std::array<std::string_view, 5> names{"input", "constant", "hidden", "output", "instructions"};
  return names[static_cast<int>(kind)];
}

}  // namespace tilewright
