// Tensors that lie in the order of another one: which boxes and transfers their ranges are, element by element.
#include "planner/ir/storage_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "planner/ir/access.h"
#include "planner/ir/in_place.h"

namespace tilewright::test {
namespace {

using testing::IsEmpty;

using Factors = std::vector<std::vector<int>>;

constexpr TensorId kStorage = 0, kSeen = 1;
constexpr Address kPieceBytes = 1 << 20;

// A tensor of `shape` that lies in the order of one of `storage`, cut along `cut` at the positions `cuts`.
Plan seen_in(Shape storage, std::vector<int> permuted, Shape shape, int cut = 0, std::vector<std::int64_t> cuts = {}) {
  Plan plan;
  plan.graph.add_tensor({.name = "storage", .shape = storage});
  plan.graph.add_tensor({.name = "seen", .shape = std::move(shape)});
  plan.tensors.resize(2);
  TensorPlan& placed = plan.tensors[kStorage];
  placed.split_dimension = cut;
  cuts.insert(cuts.begin(), 0);
  cuts.push_back(storage[cut]);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    placed.pieces.push_back({{cuts[i], cuts[i + 1]}, static_cast<Address>(i + 1) * kPieceBytes, 0});
  plan.tensors[kSeen].alias_of = kStorage;
  plan.tensors[kSeen].permuted = std::move(permuted);
  return plan;
}

// Where in memory the element at `position` of the storage lies.
Address address_of(const Plan& plan, std::int64_t position) {
  const Shape& shape = plan.graph.tensor(kStorage).shape;
  const TensorPlan& placed = plan.tensors[kStorage];
  std::vector<std::int64_t> at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; position /= shape[d]) at[d] = position % shape[d];
  const auto cut = static_cast<std::size_t>(placed.split_dimension);
  for (const PlacedPiece& piece : placed.pieces) {
    if (at[cut] < piece.range.begin || at[cut] >= piece.range.end) continue;
    std::int64_t inside = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
      inside = d == cut ? inside * piece.range.size() + at[d] - piece.range.begin : inside * shape[d] + at[d];
    return piece.address + inside * bytes_of(placed.type);
  }
  ADD_FAILURE() << "no piece";
  return 0;
}

using Moves = std::map<Address, Address>;  // from the core to memory

void add_moves(const Transfer& transfer, int dimension, Address chip, Address dram, Moves& moves) {
  if (dimension == kBoxDims) {
    EXPECT_TRUE(moves.emplace(chip, dram).second) << "twice from " << chip;
    return;
  }
  for (std::int64_t i = 0; i < transfer.shape[dimension]; ++i)
    add_moves(transfer, dimension + 1, chip + i * transfer.source.stride[dimension],
              dram + i * transfer.target.stride[dimension], moves);
}

// Every element of `box`, packed on the core, goes where the storage has it.
void expect_stored(const Plan& plan, const BoxRange& box) {
  const Shape& shape = plan.graph.tensor(kSeen).shape;
  const TensorRegion region{.tensor = kSeen, .box = box, .step = {}, .pad_low = {}, .pad_high = {}};
  const int size = bytes_of(plan.tensors[kSeen].type);
  const auto strides = packed_strides(region.extents(), size);
  Moves got, expected;
  for (const Transfer& transfer :
       transfers_of(plan, region, {Space::kAccumulator, 4096, strides}, TransferKind::kStore))
    add_moves(transfer, 0, transfer.source.address, transfer.target.address, got);
  const auto positions = StorageOrder(plan, kSeen).positions();
  for (std::int64_t i = 0; i < element_count(shape); ++i) {
    bool inside = true;
    Address chip = 4096;
    std::int64_t rest = i;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
      const std::int64_t at = rest % shape[d];
      inside = inside && at >= box[d].begin && at < box[d].end;
      chip += (at - box[d].begin) * strides[d];
    }
    if (inside) expected[chip] = address_of(plan, positions[i]);
  }
  EXPECT_EQ(got, expected);
}

TEST(StorageOrder, DimensionsAreRunsOfThoseOfTheStorage) {
  const Shape heads{1, 16, 384, 64};
  EXPECT_EQ(factors_of({384, 1024}, heads, {2, 1, 3}), (Factors{{2}, {1, 3}}));
  EXPECT_EQ(factors_of({1, 384, 1, 16, 64}, heads, {2, 1, 3}), (Factors{{}, {2}, {}, {1}, {3}}));
  EXPECT_EQ(factors_of({384 * 1024}, heads, {2, 1, 3}), (Factors{{2, 1, 3}}));
  EXPECT_THAT(factors_of({192, 2048}, heads, {2, 1, 3}), IsEmpty());
  EXPECT_THAT(factors_of({384, 15, 64}, heads, {2, 1, 3}), IsEmpty());
  EXPECT_THAT(factors_of({384, 8, 128}, heads, {2, 1, 3}), IsEmpty());
}

TEST(StorageOrder, RangesAreCutWhereTheyEndInsideADimension) {
  const Plan plan = seen_in({5, 3, 4}, {1, 0, 2}, {3, 20});
  const auto count = [&](Range columns) { return StorageOrder(plan, kSeen).boxes({{0, 3}, columns}).size(); };
  EXPECT_EQ(count({0, 20}), 1u);
  EXPECT_EQ(count({4, 16}), 1u);
  EXPECT_EQ(count({4, 15}), 2u);
  EXPECT_EQ(count({5, 16}), 2u);
  EXPECT_EQ(count({5, 15}), 3u);
  EXPECT_EQ(count({3, 5}), 2u);
  EXPECT_EQ(count({3, 4}), 1u);
  EXPECT_EQ(count({5, 7}), 1u);
  EXPECT_EQ(count({5, 8}), 1u);
}

TEST(StorageOrder, PositionsAreThoseOfATransposedTensor) {
  EXPECT_THAT(StorageOrder(seen_in({2, 3}, {1, 0}, {3, 2}), kSeen).positions(), testing::ElementsAre(0, 3, 1, 4, 2, 5));
}

// Pieces cut along every dimension, ranges that begin and end everywhere.
TEST(StorageOrder, EveryElementIsStoredWhereTheStorageHasIt) {
  const Shape storage{4, 1, 3, 5};
  for (int cut = 0; cut < 4; ++cut)
    for (const auto& cuts : {std::vector<std::int64_t>{}, std::vector<std::int64_t>{1, 2}}) {
      if (storage[cut] <= std::ssize(cuts)) continue;
      const Plan plan = seen_in(storage, {2, 0, 3}, {3, 20}, cut, cuts);
      for (std::int64_t row = 0; row < 3; ++row)
        for (std::int64_t begin = 0; begin < 20; ++begin)
          for (std::int64_t end = begin + 1; end <= 20; ++end) expect_stored(plan, {{row, 3}, {begin, end}});
    }
}

TEST(StorageOrder, ThreeDimensionsOfTheStorageInOne) {
  const Plan plan = seen_in({2, 3, 4}, {1, 0, 2}, {24}, 1, {1, 2});
  for (std::int64_t begin = 0; begin < 24; ++begin)
    for (std::int64_t end = begin + 1; end <= 24; ++end) expect_stored(plan, {{begin, end}});
}

TEST(StorageOrder, MoreThanFiveDimensions) {
  const Plan plan = seen_in({2, 3, 2, 3, 2, 3}, {4, 2, 0, 1, 3, 5}, {2, 2, 2, 9, 3}, 4, {1});
  expect_stored(plan, {{0, 2}, {0, 2}, {0, 2}, {0, 9}, {0, 3}});
  expect_stored(plan, {{1, 2}, {0, 2}, {0, 1}, {1, 8}, {1, 2}});
}

}  // namespace
}  // namespace tilewright::test
