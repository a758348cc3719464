#include "planner/emit/row_means.h"

#include "planner/emit/reduction_steps.h"
#include "planner/emit/region_moves.h"
#include "planner/ir/follower.h"

namespace tilewright {

RowMeans::RowMeans(const Plan& plan, OperatorId leader, const Contraction& part, Pipeline& pipeline)
    : plan_(plan), leader_(leader), part_(part), pipeline_(pipeline), followers_(followers_of(plan, leader)) {}

void RowMeans::store(const EpilogueLowering::Tile& tile, const SlotRing::Place& c) {
  for (const OperatorId follower : followers_) store(follower, tile, c);
}

void RowMeans::store(OperatorId follower, const EpilogueLowering::Tile& tile, const SlotRing::Place& c) {
  const DataType type = plan_.tensors[plan_.graph.op(leader_).output].type, sum = DataType::kFp32;
  const DataType stored = plan_.tensors[plan_.graph.op(follower).output].type;
  const std::int64_t columns = tile.n.column.size(), lines = tile.n.image.size() * tile.n.row.size();
  const std::int64_t rows = tile.batch.size() * tile.m.size() * lines;
  const Address means = c.address + round_up(rows * columns * bytes_of(type), Bytes{bytes_of(sum)});
  pipeline_.set_operator(program_operator(follower));
  Vector add{.op = VectorOp::kReduceAdd, .shape = {1, 1, 1, rows, columns}};
  add.a = {Space::kAccumulator, c.address, {0, 0, 0, columns * bytes_of(type), bytes_of(type)}, type};
  add.target = {Space::kAccumulator, means, {0, 0, 0, bytes_of(sum), 0}, sum};
  pipeline_.emit(Unit::kVector, add, {c.slot}, {c.slot});
  finish_rows(pipeline_, OpKind::kReduceMean, columns, {means, rows, stored}, c.slot);
  TensorRegion region;
  region.tensor = plan_.graph.op(follower).output;
  region.box = part_.c(tile.batch, tile.m, tile.n);
  region.box.back() = {0, 1};
  const Bytes of_image = tile.n.row.size() * bytes_of(stored);
  const ChipBox chip{Space::kAccumulator, means, {of_image, lines * bytes_of(stored), bytes_of(stored), 0}};
  store_region(pipeline_, plan_, region, chip, c.slot);
  pipeline_.set_operator(program_operator(leader_));
}

}  // namespace tilewright
