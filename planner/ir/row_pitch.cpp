#include "planner/ir/row_pitch.h"

#include <numeric>

#include "planner/constants/constants.h"

namespace tilewright {

Bytes row_pitch(const DramSpec& dram, Bytes row) {
  const Bytes chunk = dram.interleave_bytes, channels = dram.channels / dram.regions;
  if (dram.interleave_hash || row % chunk != 0) return row;
  Bytes pitch = row;
  while (std::gcd(pitch / chunk, channels) > 1) pitch += chunk;
  const bool too_long = static_cast<double>(pitch - row) > constants().row_gap_share * static_cast<double>(row);
  return too_long ? row : pitch;
}

std::int64_t pitch_of_rows(const Plan& plan, TensorId tensor, std::int64_t row) {
  if (!rows_may_lie_apart(plan.options) || is_constant(plan.graph, tensor)) return row;
  const Bytes element = bytes_of(plan.tensors[tensor].type);
  return row_pitch(plan.hardware.dram, row * element) / element;
}

}  // namespace tilewright
