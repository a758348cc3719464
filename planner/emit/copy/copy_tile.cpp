#include "planner/emit/copy/copy_tile.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "sim/base/stop.h"
#include "sim/base/units.h"

namespace tilewright {

bool TileRules::reads_through(std::int64_t run, std::int64_t stride) const {
  if (stride <= burst) return true;
  return burst > 0 && stride <= std::max(round_up(run, burst), per_request);
}

namespace {

// One box on its way through the buffer, in the order in which the input lies in memory: a load and a store. Both go
// upwards in DRAM; what is flipped the store takes backwards out of the buffer.
class Stage {
 public:
  // Through the buffer from element `base` on.
  Stage(const CopyBox& tile, std::int64_t base, const TileRules& rules);

  std::int64_t elements() const { return elements_; }  // of the buffer
  CopyBox load() const { return folded(load_); }
  CopyBox store() const { return folded(upwards(store_, &CopyLoop::write)); }

 private:
  void add(const CopyLoop& loop);
  // Whether the loop starts again inside what the one before reads, right behind it, or behind a short gap.
  bool goes_on(const CopyLoop& loop) const;
  void lengthen(const CopyLoop& loop);

  const TileRules& rules_;
  CopyBox load_, store_;
  std::int64_t elements_ = 1;
};

Stage::Stage(const CopyBox& tile, std::int64_t base, const TileRules& rules) : rules_(rules) {
  const CopyBox rising = upwards(tile, &CopyLoop::read);
  load_ = {rising.read, base, {}, tile.zeros};
  store_ = {base, rising.write, {}};
  std::vector<CopyLoop> loops = rising.loops;
  std::stable_sort(loops.begin(), loops.end(), [](const CopyLoop& a, const CopyLoop& b) { return a.read < b.read; });
  for (const CopyLoop& loop : loops) add(loop);
}

void Stage::add(const CopyLoop& loop) {
  if (loop.read == 0) {
    store_.loops.push_back({loop.count, 0, loop.write});
  } else if (goes_on(loop)) {
    lengthen(loop);
  } else {
    load_.loops.push_back({loop.count, loop.read, elements_});
    store_.loops.push_back({loop.count, elements_, loop.write});
    elements_ *= loop.count;
  }
}

bool Stage::goes_on(const CopyLoop& loop) const {
  if (load_.loops.empty()) return rules_.reads_through(1, loop.read);
  const CopyLoop& last = load_.loops.back();
  if (loop.read % last.read != 0) return false;
  return loop.read / last.read <= last.count || (last.read == 1 && rules_.reads_through(last.count, loop.read));
}

void Stage::lengthen(const CopyLoop& loop) {
  if (load_.loops.empty()) load_.loops.push_back({1, 1, 1});
  CopyLoop& last = load_.loops.back();
  const std::int64_t steps = loop.read / last.read;
  store_.loops.push_back({loop.count, steps * last.write, loop.write});
  elements_ /= last.count;
  last.count += (loop.count - 1) * steps;
  elements_ *= last.count;
}

// Iterations of each loop in one tile.
class TileShape {
 public:
  TileShape(const CopyBox& box, std::int64_t room) : box_(box), room_(room), steps_(box.loops.size(), 1) {}

  // Loops by rising stride until they move `wanted` elements together.
  void grow(std::int64_t CopyLoop::*stride, std::int64_t wanted) {
    std::vector<std::size_t> order(box_.loops.size());
    std::iota(order.begin(), order.end(), 0);
    const auto length = [&](std::size_t i) { return std::abs(box_.loops[i].*stride); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return length(a) < length(b); });
    std::int64_t moved = 1;
    for (const std::size_t i : order) {
      if (moved >= wanted) return;
      const std::int64_t others = product() / steps_[i];
      const std::int64_t most = std::max<std::int64_t>(1, room_ / others);
      steps_[i] = std::max(steps_[i], std::min({box_.loops[i].count, most, ceil_div(wanted, moved)}));
      moved *= steps_[i];
    }
  }

  // By rising stride of the output, up to `wanted` elements.
  void fill(std::int64_t wanted) {
    room_ = std::clamp(wanted, product(), std::max(product(), room_));
    grow(&CopyLoop::write, room_);
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
  check_stop();
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

// Tiles of good runs on both sides and of `fair` elements, as far as `room` lets them.
std::vector<std::int64_t> tile_steps(const CopyBox& box, std::int64_t fair, std::int64_t room, std::int64_t good_run) {
  TileShape shape(box, std::max<std::int64_t>(1, room));
  shape.grow(&CopyLoop::write, good_run);
  shape.grow(&CopyLoop::read, good_run);
  shape.fill(fair);
  return shape.steps();
}

StagedTile stage(const std::vector<CopyBox>& together, const TileRules& rules) {
  check_stop();
  StagedTile staged;
  for (const CopyBox& box : together) {
    const Stage one(box, staged.elements, rules);
    staged.loads.push_back(one.load());
    staged.stores.push_back(one.store());
    staged.elements += one.elements();
  }
  staged.stores = joined(std::move(staged.stores));
  return staged;
}

// Tiles of boxes with the same loops but for what they read, the n-th of each box together.
std::vector<StagedTile> cut_together(const std::vector<CopyBox>& boxes, std::int64_t room, const TileRules& rules) {
  const auto count = std::ssize(boxes);
  const std::vector<std::int64_t> steps = tile_steps(boxes[0], rules.fair / count, room / count, rules.good_run);
  std::vector<std::vector<CopyBox>> tiles;
  for (const CopyBox& box : boxes) {
    std::vector<CopyBox> cut{box};
    for (std::size_t i = 0; i < box.loops.size(); ++i) cut = cut_loop(cut, i, steps[i]);
    tiles.resize(cut.size());
    for (std::size_t n = 0; n < cut.size(); ++n) tiles[n].push_back(std::move(cut[n]));
  }
  // The first tile is the largest. Gaps may make it too large.
  const std::int64_t elements = stage(tiles[0], rules).elements;
  if (elements > rules.room && room > count)
    return cut_together(boxes, std::min(room - 1, room * rules.room / elements), rules);
  std::vector<StagedTile> staged;
  for (const auto& tile : tiles) staged.push_back(stage(tile, rules));
  return staged;
}

}  // namespace

std::int64_t StagedTile::moved() const {
  std::int64_t count = 0;
  for (const CopyBox& store : stores) count += store.elements();
  return count;
}

std::vector<StagedTile> staged_tiles(const std::vector<CopyBox>& boxes, const TileRules& rules) {
  std::vector<StagedTile> staged;
  for (const auto& together : interleaved(boxes, std::min(rules.good_run, rules.room)))
    for (StagedTile& tile : cut_together(together, rules.room, rules)) staged.push_back(std::move(tile));
  return staged;
}

std::vector<Transfer> transfers_of(const CopyBox& box, TransferKind kind, DataType type, const CopyMemory& from,
                                   const CopyMemory& to) {
  const std::int64_t element = bytes_of(type);
  std::vector<Transfer> out;
  for (const CopyBox& part : limit_loops(box, kBoxDims)) {
    Transfer transfer{.kind = kind, .type = type};
    if (part.zeros) transfer.pad_low.back() = 1;  // of one element, which is stored again and again
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
