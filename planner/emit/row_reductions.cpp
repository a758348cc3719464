#include "planner/emit/row_reductions.h"

#include "planner/emit/reduction_steps.h"
#include "planner/emit/region_moves.h"
#include "planner/ir/follower.h"

namespace tilewright {
namespace {

constexpr DataType kSum = DataType::kFp32;

}  // namespace

RowReductions::RowReductions(const Plan& plan, OperatorId leader, const Contraction& part, Pipeline& pipeline,
                             const Places& places)
    : plan_(plan), leader_(leader), part_(part), pipeline_(pipeline) {
  Address base = places.base;
  for (const OperatorId id : followers_of(plan, leader)) {
    followers_.push_back({id, AreaRing(pipeline, base, places.partition, places.tile, places.turns), {}});
    base += places.turns * places.partition;
  }
}

void RowReductions::add(std::int64_t first_row, std::int64_t m_index, const EpilogueLowering::Tile& tile,
                        const SlotRing::Place& c) {
  for (Follower& follower : followers_) add(follower, first_row, m_index, tile, c);
}

void RowReductions::add(Follower& follower, std::int64_t first_row, std::int64_t m_index,
                        const EpilogueLowering::Tile& tile, const SlotRing::Place& c) {
  const Operator& op = plan_.graph.op(follower.id);
  const AreaRing::Found rows = follower.places.find({tile.batch.begin, first_row}, m_index);
  if (std::ssize(follower.columns) <= m_index) follower.columns.resize(m_index + 1);
  pipeline_.set_operator(program_operator(follower.id));
  reduce(op, tile, c, rows);
  std::int64_t& columns = follower.columns[m_index];
  columns += tile.n.count();
  if (columns == part_.columns().count()) {
    store(op, tile, rows);
    columns = 0;
  }
  pipeline_.set_operator(program_operator(leader_));
}

void RowReductions::reduce(const Operator& op, const EpilogueLowering::Tile& tile, const SlotRing::Place& c,
                           const AreaRing::Found& rows) {
  const DataType type = plan_.tensors[plan_.graph.op(leader_).output].type;
  const std::int64_t batch = tile.batch.size(), m = tile.m.size(), n = tile.n.count();
  const std::int64_t element = bytes_of(type), sum = bytes_of(kSum);
  Vector vector{.op = reducing_op(op.kind), .shape = {1, 1, batch, m, n}};
  vector.a = {Space::kAccumulator, c.address, {0, 0, batch > 1 ? m * n * element : 0, n * element, element}, type};
  vector.target = {Space::kAccumulator, rows.address, {0, 0, batch > 1 ? m * sum : 0, sum, 0}, kSum};
  vector.accumulate = !rows.fresh;
  pipeline_.emit(Unit::kVector, vector, {c.slot}, {rows.slot});
}

void RowReductions::store(const Operator& op, const EpilogueLowering::Tile& tile, const AreaRing::Found& rows) {
  const DataType stored = plan_.tensors[op.output].type;
  const std::int64_t count = tile.batch.size() * tile.m.size(), element = bytes_of(stored);
  finish_rows(pipeline_, op.kind, part_.columns().count(), {rows.address, count, stored}, rows.slot);
  TensorRegion region;
  region.tensor = op.output;
  region.box = part_.c(tile.batch, tile.m, tile.n);
  region.box.back() = {0, 1};
  std::vector<std::int64_t> strides(region.box.size(), tile.m.size() * element);
  strides[strides.size() - 2] = element, strides.back() = 0;
  store_region(pipeline_, plan_, region, {Space::kAccumulator, rows.address, strides}, rows.slot);
}

}  // namespace tilewright
