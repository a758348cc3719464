#include "planner/ir/memory_sharing.h"

#include <algorithm>

#include "planner/ir/access.h"
#include "planner/ir/constant_copies.h"

namespace tilewright {
namespace {

std::vector<PlacedMemory> all_pieces(const Plan& plan) {
  const auto lives = lifetimes(plan);
  std::vector<PlacedMemory> pieces;
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id) {
    const TensorPlan& tensor = plan.tensors[id];
    for (std::size_t i = 0; i < tensor.pieces.size(); ++i) {
      const Address begin = tensor.pieces[i].address;
      const Bytes bytes = piece_bytes(tensor, plan.graph.tensor(id).shape, tensor.pieces[i]);
      pieces.push_back({id, i, begin, begin + bytes, lives[id], tensor.pieces[i].in_dram()});
    }
  }
  std::sort(pieces.begin(), pieces.end(), [](const PlacedMemory& a, const PlacedMemory& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.tensor < b.tensor;
  });
  return pieces;
}

}  // namespace

std::vector<MemoryRun> memory_runs(const Plan& plan) {
  std::vector<MemoryRun> runs;
  for (const PlacedMemory& piece : all_pieces(plan)) {
    if (runs.empty() || piece.begin >= runs.back().end) runs.push_back({piece.begin, piece.end, {}});
    runs.back().end = std::max(runs.back().end, piece.end);
    runs.back().pieces.push_back(piece);
  }
  return runs;
}

Bytes memory_taken(const Plan& plan) {
  Bytes bytes = copied_bytes(plan);
  for (const MemoryRun& run : memory_runs(plan))
    if (run.in_dram()) bytes += run.end - run.begin;
  return bytes;
}

std::vector<bool> tensors_sharing_memory(const Plan& plan) {
  std::vector<bool> in_turn(plan.tensors.size(), false);
  for (const MemoryRun& run : memory_runs(plan))
    for (const PlacedMemory& piece : run.pieces)
      if (run.pieces.size() > 1) in_turn[piece.tensor] = true;
  for (TensorId id = 0; id < static_cast<TensorId>(in_turn.size()); ++id) in_turn[id] = in_turn[storage_of(plan, id)];
  return in_turn;
}

}  // namespace tilewright
