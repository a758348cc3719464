#include "planner/ir/constant_copies.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

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

// By TensorId.
std::vector<Bytes> bytes_of_copies(const Plan& plan) {
  std::vector<Bytes> bytes(plan.tensors.size());
  for (TensorId id = 0; id < std::ssize(bytes); ++id) bytes[id] = bytes_of_copies(plan, id);
  return bytes;
}

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
  const std::vector<Bytes> bytes = bytes_of_copies(plan);
  return std::accumulate(bytes.begin(), bytes.end(), Bytes{0});
}

bool take_back_largest_copies(Plan& plan) {
  const std::vector<Bytes> bytes = bytes_of_copies(plan);
  const auto largest = std::max_element(bytes.begin(), bytes.end());
  if (largest == bytes.end() || *largest == 0) return false;
  const SegmentTable table(plan.program);
  const Replaced replaced = copies_taken(plan.tensors[largest - bytes.begin()], table);
  read_elsewhere(plan.program, replaced, table);
  for (auto copy = replaced.rbegin(); copy != replaced.rend(); ++copy)
    plan.program.segments.erase(plan.program.segments.begin() + copy->first);
  return true;
}

}  // namespace tilewright
