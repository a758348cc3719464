#include "planner/search/database/tiling_record.h"

#include <fmt/format.h>

#include <tuple>

#include "sim/hw/config/resolve.h"

namespace tilewright {

TilingContext context_of(const Hardware& hardware, Objective objective) {
  return {fmt::format("{:016x}", fingerprint(hardware)), simulator_version(), objective};
}

std::string_view name_of(RecordKind kind) { return kind == RecordKind::kInitial ? "initial" : "boundary"; }

bool operator<(const TilingRecord& a, const TilingRecord& b) {
  const auto key = [](const TilingRecord& r) {
    return std::make_tuple(r.context, family_of(r.shape), r.shape.dims, to_string(r.shape), r.kind, r.parent);
  };
  return key(a) < key(b);
}

}  // namespace tilewright
