#include "planner/passes/lower/lower_partials.h"

#include <algorithm>

#include "planner/ir/contraction.h"

namespace tilewright {
namespace {

using PartialTile = PartialTiles::Tile;

std::int64_t elements_of(const PartialTile& tile) { return tile.batch.size() * tile.m.size() * tile.n.count(); }

// Shares `first` to before `end` of `count` of a tile: one run of what is packed [batch][m][image][row][column], some
// of its slowest dimension that is longer than one. Empty where that is too short for so many.
PartialTile shares_of(const PartialTile& tile, int first, int end, int count) {
  PartialTile shares = tile;
  for (Range* range : {&shares.batch, &shares.m, &shares.n.image, &shares.n.row, &shares.n.column}) {
    const std::int64_t size = range->size();
    if (size == 1 && range != &shares.n.column) continue;
    *range = {range->begin + size * first / count, range->begin + size * end / count};
    return shares;
  }
  return shares;
}

}  // namespace

PartialTiles::PartialTiles(const Plan& plan, OperatorId id, std::size_t item, Pipeline& pipeline, Address area)
    : operator_(plan.operators[id]),
      map_(plan.hardware),
      core_(operator_.split.items[item].core),
      pipeline_(pipeline),
      area_(pipeline, area, partial_area(plan.hardware) / 2, 2) {
  if (operator_.split.items[item].k.size() > 0) partial_ = &operator_.partials.at(item);
  type_ = accumulator_type(plan.tensors[plan.graph.op(id).inputs[0]].type);
  chunk_ = partial_area(plan.hardware) / 2 / bytes_of(type_);
}

std::vector<PartialTiles::PlacedTile> PartialTiles::reduce(const std::vector<PlacedTile>& tiles) {
  std::vector<PlacedTile> finished;
  for (const PartialPlan::Share& share : partial_->shares) {
    const std::vector<Run> runs = runs_of(tiles, share.number);
    if (runs.empty()) continue;
    for (const PartialRead& read : reads_of(operator_, map_, share)) add_read(read, runs);
    if (share.parent >= 0) hand_on(share.parent, runs);
    if (share.parent < 0)
      for (const Run& run : runs) finished.push_back(run.part);
  }
  for (const PlacedTile& placed : tiles) done_ += elements_of(placed.tile) * bytes_of(type_);
  return finished;
}

// Whole tiles where there are as many as shares; else each tile is cut into some of the shares.
std::vector<PartialTiles::Run> PartialTiles::runs_of(const std::vector<PlacedTile>& tiles, int share) const {
  const auto shares = static_cast<int>(partial_->shares.size()), count = static_cast<int>(tiles.size());
  std::vector<Run> runs;
  Bytes offset = done_;
  for (int tile = 0; tile < count; ++tile) {
    const int first = tile * shares / count, end = (tile + 1) * shares / count;
    const bool whole = count >= shares;
    const bool within =
        whole ? share * count / shares <= tile && tile < (share + 1) * count / shares : first <= share && share < end;
    if (within) {
      const Run run = run_of(tiles[tile], offset, whole ? 0 : share - first, whole ? 1 : end - first);
      if (run.elements > 0) runs.push_back(run);
    }
    offset += elements_of(tiles[tile].tile) * bytes_of(type_);
  }
  return runs;
}

PartialTiles::Run PartialTiles::run_of(const PlacedTile& placed, Bytes offset, int number, int count) const {
  const PartialTile part = shares_of(placed.tile, number, number + 1, count);
  const Bytes before = elements_of(shares_of(placed.tile, 0, number, count)) * bytes_of(type_);
  return {{part, {placed.place.slot, placed.place.address + before}}, offset + before, elements_of(part)};
}

void PartialTiles::add_read(const PartialRead& read, const std::vector<Run>& runs) {
  for (const Run& run : runs) add(read, run, &run == &runs.front());
}

// Waits until the children's runs are there, then loads and adds them piece by piece.
void PartialTiles::add(const PartialRead& read, const Run& run, bool first) {
  for (const Range& range : cut_range({0, run.elements}, chunk_)) {
    pipeline_.begin_step();
    const SlotRing::Place piece = area_.next();
    if (first && range.begin == 0) wait_for(read, piece.slot);
    const Bytes offset = range.begin * bytes_of(type_);
    pipeline_.load(load_of(read, run.offset + offset, range.size(), piece.address), piece.slot);
    const SlotRing::Place& sum = run.part.place;
    Vector add{.op = VectorOp::kAdd};
    add.shape[kBoxDims - 1] = range.size();
    const Strides packed{0, 0, 0, 0, bytes_of(type_)};
    add.a = add.target = {Space::kAccumulator, sum.address + offset, packed, type_};
    add.b = {Space::kAccumulator, piece.address, packed, type_};
    pipeline_.emit(Unit::kVector, add, {piece.slot, sum.slot}, {sum.slot});
  }
}

// `offset`: in the partial result.
Transfer PartialTiles::load_of(const PartialRead& read, Bytes offset, std::int64_t elements, Address target) const {
  const Address source = operator_.partials[read.items.front()].place.address + offset;
  const Box to{Space::kAccumulator, target};
  if (read.clusters.size() == 1) return transfer(TransferKind::kLoad, elements, {Space::kDram, source}, to);
  const ChipMap::Place place = map_.place_of(source);
  Transfer sum = transfer(TransferKind::kLoad, elements, {place.space, place.offset, {}, place.owner}, to);
  sum.summed = read.clusters;
  return sum;
}

// Cores that add up shares wait for each other, those of a tree never for one that waits for them.
void PartialTiles::wait_for(const PartialRead& read, Slot slot) {
  for (const int child : read.items) {
    const Wait wait{partial_flag(operator_.split.items[child].core), 1};
    if (partial_->shares.size() > 1)
      pipeline_.load_in_step(wait, slot);
    else
      pipeline_.load(wait, slot);
  }
}

void PartialTiles::hand_on(int parent, const std::vector<Run>& runs) {
  for (const Run& run : runs)
    pipeline_.emit(Unit::kStore,
                   transfer(TransferKind::kStore, run.elements, {Space::kAccumulator, run.part.place.address},
                            {Space::kDram, partial_->place.address + run.offset}),
                   {run.part.place.slot}, {});
  pipeline_.emit(Unit::kStore, Signal{operator_.split.items[parent].core, partial_flag(core_)}, {}, {});
}

Transfer PartialTiles::transfer(TransferKind kind, std::int64_t elements, const Box& from, const Box& to) const {
  Transfer transfer{.kind = kind, .type = type_};
  transfer.shape[kBoxDims - 1] = elements;
  transfer.source = from;
  transfer.target = to;
  transfer.source.stride = transfer.target.stride = {0, 0, 0, 0, bytes_of(type_)};
  return transfer;
}

}  // namespace tilewright
