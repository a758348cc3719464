#include "planner/ir/constant_copies.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "planner/ir/access.h"
#include "sim/isa/dram_boxes.h"

namespace tilewright {
namespace {

Bytes bytes_of_copies(const Plan& plan, TensorId id) {
  Bytes bytes = 0;
  for (const PlacedPiece& piece : plan.tensors[id].pieces)
    bytes += std::ssize(piece.copies) * piece_bytes(plan.tensors[id], plan.graph.tensor(id).shape, piece);
  return bytes;
}

auto tensors_of(const Plan& plan) { return std::views::iota(TensorId{0}, static_cast<TensorId>(plan.tensors.size())); }

// From a segment to the one that takes its place.
using Replaced = std::map<int, Address>;

Replaced copies_taken(TensorPlan& tensor, const SegmentTable& table) {
  Replaced replaced;
  for (PlacedPiece& piece : tensor.pieces)
    for (const PieceCopy& copy : std::exchange(piece.copies, {}))
      replaced.emplace(table.find(copy.address, copy.address + 1), piece.address);
  return replaced;
}

void read_elsewhere(Program& program, const Replaced& replaced, const SegmentTable& table) {
  for (CoreProgram& core : program.cores)
    for (Instruction& instruction : core.instructions)
      for (Box* box : dram_boxes(instruction)) {
        const int segment = table.find(box->address, box->address + 1);
        if (const auto at = replaced.find(segment); at != replaced.end())
          box->address += at->second - table[segment].address;
      }
}

}  // namespace

Bytes copied_bytes(const Plan& plan) {
  Bytes bytes = 0;
  for (const TensorId id : tensors_of(plan)) bytes += bytes_of_copies(plan, id);
  return bytes;
}

bool take_back_largest_copies(Plan& plan) {
  const auto size = [&](TensorId id) { return bytes_of_copies(plan, id); };
  const TensorId largest = *std::ranges::max_element(tensors_of(plan), {}, size);
  if (size(largest) == 0) return false;
  const SegmentTable table(plan.program);
  const Replaced replaced = copies_taken(plan.tensors[largest], table);
  read_elsewhere(plan.program, replaced, table);
  for (const int segment : replaced | std::views::keys | std::views::reverse)
    plan.program.segments.erase(plan.program.segments.begin() + segment);
  return true;
}

}  // namespace tilewright
