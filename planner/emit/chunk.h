// What the lowerings of everything but products share: a part of the output is worked off chunk by chunk through the
// buffers, inputs in buffers A and B, results and intermediates in the accumulator.
#pragma once

#include <optional>
#include <vector>

#include "planner/emit/area_ring.h"
#include "planner/emit/pipeline.h"
#include "planner/ir/access.h"

namespace tilewright {

// An array on the core; byte strides per dimension of the extents it is used with.
struct ArrayView {
  Space space = Space::kAccumulator;
  Address address = 0;
  std::vector<std::int64_t> stride;
  DataType type = DataType::kFp32;
};
ArrayView packed_view(Space space, Address address, const std::vector<std::int64_t>& extents, DataType type);

// target[extents] = vector.op(a, b) as an instruction; dimensions that are one run for all operands are folded. With
// `rows_on_lanes` each lane reduces rows of its own. Nothing when more than five dimensions are left.
std::optional<Vector> on_arrays(Vector vector, const std::vector<std::int64_t>& extents, const ArrayView& target,
                                const ArrayView& a, const ArrayView* b, bool rows_on_lanes);

std::vector<std::int64_t> extents_of(const BoxRange& box);

// Boxes of at most `at_most` elements (at least one) that cover `box`: inner dimensions whole as far as possible.
// Dimensions before the last `free_dimensions` are cut to one element; those marked `whole` are never cut.
std::vector<BoxRange> cut_box(const BoxRange& box, std::int64_t at_most, int free_dimensions = kBoxDims,
                              const std::vector<bool>& whole = {});

// Elements per chunk: what fits, but small enough that a part has a few chunks that can overlap.
std::int64_t chunk_elements(std::int64_t total, std::int64_t fit);

class ChunkLowering {
 public:
  ChunkLowering(const Plan& plan, OperatorId id, std::size_t item);
  virtual ~ChunkLowering() = default;

 protected:
  struct Loaded {
    ArrayView view;  // strides of the region's extents
    Slot slot;
  };
  const Tensor& tensor(TensorId id) const { return plan_.graph.tensor(id); }
  DataType type_of(TensorId id) const { return plan_.tensors[id].type; }
  const Hardware& hardware() const { return plan_.hardware; }

  // Loads `region` unless `ring` still has it. To be called before the chunk's vector instructions.
  Loaded load(AreaRing& ring, Space space, TensorRegion region, std::size_t input);
  // on_arrays() as an instruction of this chunk.
  void compute(Vector vector, const std::vector<std::int64_t>& extents, const ArrayView& target, const ArrayView& a,
               const ArrayView* b, std::vector<Slot> reads, Slot written);
  void store(TensorId output, const BoxRange& box, const ArrayView& view, Slot slot);
  // Bytes `need` of `have`: UserError naming the memory when it does not fit.
  void require(Bytes need, Bytes have, const char* memory) const;

  const Plan& plan_;
  const OperatorId id_;
  const Operator& op_;
  const std::size_t item_;
  const BoxRange output_;  // the part
  Pipeline pipeline_;

 private:
  // Whether the first input comes from outside the program: its rows then lie along the lanes. What the program itself
  // makes lies as suits its readers.
  bool layout_is_given() const;

  std::vector<bool> cached_;  // per input
};

}  // namespace tilewright
