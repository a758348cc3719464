#include "planner/passes/allocate/cluster_memory.h"

#include <algorithm>
#include <optional>

#include "planner/constants/constants.h"
#include "planner/ir/access.h"
#include "planner/ir/partials.h"
#include "planner/passes/allocate/shared_memory.h"
#include "sim/isa/chip_map.h"

namespace tilewright {
namespace {

struct ClusterPiece {
  TensorId tensor = -1;
  std::size_t piece = 0;
  Bytes bytes = 0;
  Lifetime life;
};

// Those of one cluster, as they are written.
std::vector<ClusterPiece> pieces_in(const Plan& plan, int cluster, const std::vector<Lifetime>& lives) {
  std::vector<ClusterPiece> pieces;
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id) {
    const TensorPlan& placed = plan.tensors[id];
    for (std::size_t i = 0; i < placed.pieces.size(); ++i) {
      if (placed.pieces[i].cluster != cluster) continue;
      const Bytes bytes = piece_bytes(placed, plan.graph.tensor(id).shape, placed.pieces[i]);
      pieces.push_back({id, i, round_up(bytes, constants().tensor_alignment), lives[id]});
    }
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const auto& a, const auto& b) { return a.life.first < b.life.first; });
  return pieces;
}

// Offsets of the pieces between `begin` and `end`; nothing without room.
std::optional<std::vector<Bytes>> offsets_of(const std::vector<ClusterPiece>& pieces, Bytes begin, Bytes end) {
  Bytes all = 0;
  for (const ClusterPiece& piece : pieces) all += piece.bytes;
  const bool apart = begin + all <= end;
  SharedMemory memory(begin);
  std::vector<Bytes> offsets;
  for (const ClusterPiece& piece : pieces) {
    const Lifetime life = apart ? Lifetime{} : piece.life;
    const Bytes at = memory.lowest(piece.bytes, life);
    if (at + piece.bytes > end) return std::nullopt;
    memory.take(at, piece.bytes, life);
    offsets.push_back(at);
  }
  return offsets;
}

}  // namespace

ClusterMemory::ClusterMemory(const Plan& plan) : lives_(lifetimes(plan)), begin_(partial_room(plan)) {
  for (int cluster = 0; cluster < plan.hardware.clusters; ++cluster) {
    capacity_.push_back(plan.hardware.addressed_in(cluster));
    begin_[cluster] = std::min(capacity_[cluster], round_up(begin_[cluster], constants().tensor_alignment));
  }
}

bool ClusterMemory::place(Plan& plan) const {
  const ChipMap map(plan.hardware);
  std::vector<std::vector<ClusterPiece>> pieces;
  std::vector<std::vector<Bytes>> offsets;
  for (int cluster = 0; cluster < plan.hardware.clusters; ++cluster) {
    pieces.push_back(pieces_in(plan, cluster, lives_));
    const auto found = offsets_of(pieces.back(), begin_[cluster], capacity_[cluster]);
    if (!found) return false;
    offsets.push_back(*found);
  }
  for (int cluster = 0; cluster < plan.hardware.clusters; ++cluster)
    for (std::size_t i = 0; i < pieces[cluster].size(); ++i) {
      const ClusterPiece& piece = pieces[cluster][i];
      plan.tensors[piece.tensor].pieces[piece.piece].address =
          map.base_of(Space::kCluster, cluster) + offsets[cluster][i];
    }
  return true;
}

}  // namespace tilewright
