// The epilogues of a contraction on one tile of its result: their operands are loaded beside the results, every
// epilogue works in place, the last one writes the type wanted where it is wanted.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "planner/constants/constants.h"
#include "planner/emit/area_ring.h"
#include "planner/ir/contraction.h"
#include "planner/ir/tiling_limits.h"

namespace tilewright {

// Of the accumulate buffer, for operands: entries of vectors, behind them `limits.buffering` of elements.
struct EpilogueAreas {
  Address base = 0;
  Bytes vectors = 0, elements = 0;  // bytes of an entry
  int vector_entries = static_cast<int>(constants().buffering);
};

class EpilogueLowering {
 public:
  // An element operand that lies in the accumulate buffer already, in its own type, packed as the tile.
  struct HeldOperand {
    TensorId tensor = -1;
    SlotRing::Place place;
  };
  // Ranges of the part.
  struct Tile {
    Range batch, m;
    Columns n;
    std::optional<HeldOperand> held = {};
    std::size_t done = 0;  // the first epilogues, which the product's operands have had instead
  };

  // Everything given outlives it. `cached`: whether a cluster's cache should keep the vectors.
  EpilogueLowering(const Plan& plan, OperatorId id, std::size_t item, const Contraction& part,
                   const TilingLimits& limits, Pipeline& pipeline, const EpilogueAreas& areas, bool cached);

  // Where the last one leaves its result: packed [batch][m][n], or, of a convolution's single image, with these bytes
  // from one channel, row and column to the next.
  struct Result {
    Space space = Space::kAccumulator;
    SlotRing::Place place;
    DataType type = DataType::kFp32;
    std::optional<std::array<std::int64_t, 3>> stride = {};
  };

  // Applies them to the result of `tile`, packed [batch][m][n] in the accumulator's type at `c`.
  void apply(const Tile& tile, const SlotRing::Place& c, const Result& result);
  // As above, in the stored type at `c`.
  void apply(const Tile& tile, const SlotRing::Place& c);

  // Byte strides of a packed result of `element` bytes each, per dimension of the output.
  std::vector<std::int64_t> result_strides(const Tile& tile, std::int64_t element) const;

 private:
  // An operand as a vector instruction reads it beside [batch][m][n].
  struct Operand {
    Address address = 0;
    std::array<std::int64_t, 3> stride{};
  };

  BoxRange result_box(const Tile& tile) const { return part_.c(tile.batch, tile.m, tile.n); }
  static bool is_held(const Epilogue& epilogue, const Tile& tile) {
    return tile.held && epilogue.operand == tile.held->tensor;
  }
  // Positions of the epilogues that change something of the tile.
  std::vector<std::size_t> needed_for(const Tile& tile) const;
  // By epilogue; those that are not needed have none.
  std::vector<Operand> load_operands(const Tile& tile, const std::vector<std::size_t>& needed,
                                     std::vector<Slot>& reads);
  static Operand packed_operand(const Tile& tile, Address address, std::int64_t element);
  Operand load_vector(const Epilogue& epilogue, const Tile& tile, const AreaRing::Found& entry, Address address);
  Operand load_elements(const Epilogue& epilogue, const Tile& tile, const AreaRing::Found& entry, Address address);
  void load(const Epilogue& epilogue, BoxRange box, Address address, const std::vector<std::int64_t>& strides,
            const AreaRing::Found& entry);
  // Of box's dimensions, where the operand has them all as the result does; else packed.
  std::vector<std::int64_t> operand_strides(const Tile& tile, const BoxRange& box, std::int64_t element) const;
  AreaRing::Key elements_key(const Tile& tile, const std::vector<std::size_t>& needed) const;
  void emit(Vector vector, const Tile& tile, const SlotRing::Place& c, const Result& result,
            const std::vector<Slot>& reads);
  // As [batch][m][image][row][column], the result's strides given, what was [batch][m][n].
  static void unfold_columns(Vector& vector, const Tile& tile, const Result& result);
  DataType accumulator() const { return accumulator_type(plan_.tensors[part_.tensor_a()].type); }

  const Plan& plan_;
  const Operator& op_;
  const Contraction& part_;
  Pipeline& pipeline_;
  std::vector<bool> cached_;  // by epilogue
  AreaRing vectors_, elements_;
};

}  // namespace tilewright
