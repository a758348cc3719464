#include "planner/ir/region_allocator.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/ir/access.h"
#include "planner/ir/lifetime.h"

namespace tilewright {

void no_room_in_dram(const std::string& what, Bytes bytes, Bytes used, Bytes most) {
  throw NoRoomInDram(
      what, fmt::format("no room in DRAM for {} bytes: {} of {} bytes of each region are taken", bytes, used, most));
}

Bytes program_memory_apart(const Plan& plan) {
  const Bytes stated = plan.options.program_memory;
  return stated > 0 ? stated : plan.hardware.dram.capacity() / constants().dram_spare_divisor;
}

void check_largest_tensor(const Plan& plan) {
  const DramSpec& dram = plan.hardware.dram;
  for (TensorId id = 0; id < std::ssize(plan.tensors); ++id) {
    const Tensor& tensor = plan.graph.tensor(id);
    const bool placed = tensor.kind == TensorKind::kInput ? !tensor.consumers.empty()
                                                          : tensor.kind == TensorKind::kOutput && tensor.producer;
    if (placed && bytes_of_tensor(plan, id) > dram.regions * dram.region_capacity())
      no_room_in_dram(fmt::format("tensor '{}'", tensor.name), bytes_of_tensor(plan, id), 0, dram.region_capacity());
  }
}

RegionAllocator::RegionAllocator(const Hardware& hardware, Bytes held)
    : region_bytes_(hardware.dram.region_capacity()), most_(region_bytes_ - held), used_(hardware.dram.regions, 0) {}

RegionAllocator::RegionAllocator(const Plan& plan)
    : RegionAllocator(plan.hardware, plan.options.memory_held / plan.hardware.dram.regions) {
  const auto use = [&](Address address, Bytes bytes) {
    Bytes& used = used_[address / region_bytes_];
    used = std::max(used, round_up(address % region_bytes_ + bytes, constants().tensor_alignment));
  };
  for (std::size_t id = 0; id < plan.tensors.size(); ++id)
    for (const PlacedPiece& piece : plan.tensors[id].pieces)
      if (piece.in_dram())
        use(piece.address, piece_bytes(plan.tensors[id], plan.graph.tensor(static_cast<TensorId>(id)).shape, piece));
  for (const OperatorPlan& op : plan.operators)
    for (const PartialPlan& partial : op.partials)
      if (partial.in_dram()) use(partial.place.address, partial.bytes);
  for (const Segment& segment : plan.program.segments) use(segment.address, segment.bytes);
}

std::optional<PlacedPiece> RegionAllocator::find_room(Bytes bytes, int region) {
  const Bytes rounded = round_up(bytes, constants().tensor_alignment);
  if (used_[region] + rounded > most_)
    region = static_cast<int>(std::min_element(used_.begin(), used_.end()) - used_.begin());
  if (used_[region] + rounded > most_) return std::nullopt;
  const PlacedPiece piece{{}, region * region_bytes_ + used_[region], region};
  used_[region] += rounded;
  return piece;
}

PlacedPiece RegionAllocator::allocate(Bytes bytes, int region, const std::string& what) {
  const auto room = find_room(bytes, region);
  if (!room) no_room_in_dram(what, bytes, *std::min_element(used_.begin(), used_.end()), most_);
  return *room;
}

}  // namespace tilewright
