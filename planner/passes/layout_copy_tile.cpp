#include "planner/passes/layout_copy_tile.h"

#include <algorithm>
#include <numeric>

#include "sim/base/units.h"

namespace tilewright {
namespace {

// Iterations of each loop in one tile.
class TileShape {
 public:
  TileShape(const CopyBox& box, std::int64_t room) : box_(box), room_(room), steps_(box.loops.size(), 1) {}

  // Loops by rising stride until they move `wanted` elements together.
  void grow(std::int64_t CopyLoop::*stride, std::int64_t wanted) {
    std::vector<std::size_t> order(box_.loops.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return box_.loops[a].*stride < box_.loops[b].*stride; });
    std::int64_t moved = 1;
    for (const std::size_t i : order) {
      if (moved >= wanted) return;
      const std::int64_t others = product() / steps_[i];
      const std::int64_t most = std::max<std::int64_t>(1, room_ / others);
      steps_[i] = std::max(steps_[i], std::min({box_.loops[i].count, most, ceil_div(wanted, moved)}));
      moved *= steps_[i];
    }
  }

  const std::vector<std::int64_t>& steps() const { return steps_; }

 private:
  std::int64_t product() const {
    return std::accumulate(steps_.begin(), steps_.end(), std::int64_t{1}, std::multiplies<>());
  }

  const CopyBox& box_;
  std::int64_t room_;
  std::vector<std::int64_t> steps_;
};

// `boxes` with loop `i` cut into parts of `step` iterations.
std::vector<CopyBox> cut_loop(const std::vector<CopyBox>& boxes, std::size_t i, std::int64_t step) {
  std::vector<CopyBox> out;
  for (const CopyBox& box : boxes)
    for (std::int64_t at = 0; at < box.loops[i].count; at += step) {
      CopyBox part = box;
      part.read += at * box.loops[i].read;
      part.write += at * box.loops[i].write;
      part.loops[i].count = std::min(step, box.loops[i].count - at);
      out.push_back(std::move(part));
    }
  return out;
}

}  // namespace

std::vector<CopyBox> cut_into_tiles(const CopyBox& box, std::int64_t room, std::int64_t good_run) {
  TileShape shape(box, std::max<std::int64_t>(1, room));
  shape.grow(&CopyLoop::write, good_run);
  shape.grow(&CopyLoop::read, good_run);
  shape.grow(&CopyLoop::write, room);
  std::vector<CopyBox> tiles{box};
  for (std::size_t i = 0; i < box.loops.size(); ++i) tiles = cut_loop(tiles, i, shape.steps()[i]);
  return tiles;
}

StagedTile stage(const CopyBox& tile) {
  std::vector<CopyLoop> loops = tile.loops;
  std::stable_sort(loops.begin(), loops.end(), [](const CopyLoop& a, const CopyLoop& b) { return a.read < b.read; });
  StagedTile staged{{tile.read, 0, {}}, {0, tile.write, {}}, 1};
  std::vector<CopyLoop>& loads = staged.load.loops;
  for (const CopyLoop& loop : loops) {
    if (loop.read == 0) {
      staged.store.loops.push_back({loop.count, 0, loop.write});
      continue;
    }
    // A loop that starts again inside, or right behind, what the one before reads makes that one longer.
    const bool longer =
        !loads.empty() && loop.read % loads.back().read == 0 && loop.read / loads.back().read <= loads.back().count;
    if (longer) {
      const std::int64_t steps = loop.read / loads.back().read;
      staged.store.loops.push_back({loop.count, steps * loads.back().write, loop.write});
      staged.elements /= loads.back().count;
      loads.back().count += (loop.count - 1) * steps;
      staged.elements *= loads.back().count;
    } else {
      loads.push_back({loop.count, loop.read, staged.elements});
      staged.store.loops.push_back({loop.count, staged.elements, loop.write});
      staged.elements *= loop.count;
    }
  }
  staged.load = folded(staged.load);
  staged.store = folded(staged.store);
  return staged;
}

std::vector<Transfer> transfers_of(const CopyBox& box, TransferKind kind, DataType type, const CopyMemory& from,
                                   const CopyMemory& to) {
  const std::int64_t element = bytes_of(type);
  std::vector<Transfer> out;
  for (const CopyBox& part : limit_loops(box, kBoxDims)) {
    Transfer transfer{.kind = kind, .type = type};
    transfer.source = {from.space, from.address + part.read * element, {}};
    transfer.target = {to.space, to.address + part.write * element, {}};
    std::size_t at = kBoxDims - part.loops.size();
    for (const CopyLoop& loop : part.loops) {
      transfer.shape[at] = loop.count;
      transfer.source.stride[at] = loop.read * element;
      transfer.target.stride[at++] = loop.write * element;
    }
    out.push_back(transfer);
  }
  return out;
}

}  // namespace tilewright
