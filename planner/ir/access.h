// From a range of a tensor to transfers: the one place that knows how pieces of a tensor lie in DRAM.
#pragma once

#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

// A tensor's pieces as seen through its own shape: an alias sees those of the tensor whose memory it shares. A tensor
// that lies within another one takes up that one's sizes in memory, of which it sees a part.
struct PlacedView {
  int split_dimension = 0;
  std::vector<PlacedPiece> pieces;
  Shape held;                       // sizes of the array in memory
  std::vector<int> nesting;         // its dimensions, the outermost first
  std::vector<std::int64_t> along;  // by piece: what it holds of the split dimension
  std::vector<std::int64_t> rows;   // by piece: elements of a row of the storage, behind which its gap lies

  // Elements between neighbours of every dimension in the array that piece `index` is.
  std::vector<std::int64_t> strides_of(std::size_t index) const;
};
PlacedView placed_view(const Plan& plan, TensorId tensor);

// Whether ranges of two tensors mean the same elements: both are the same part of the same memory, or neither is a
// part.
bool seen_alike(const Plan& plan, TensorId a, TensorId b);
// As above for a root cut at `root`, seen through `shape`; empty when its pieces are no ranges of one dimension of it.
std::vector<PlacedPiece> view_pieces(const TensorPlan& root, const Shape& root_shape, const Shape& shape,
                                     int* dimension);

// The tensor whose memory `tensor` shares, itself when it has its own.
TensorId storage_of(const Plan& plan, TensorId tensor);

// The same of every part of a tensor that lies in its parts.
std::vector<TensorId> storages_of(const Plan& plan, TensorId tensor);

// What of a box of a tensor lies in one of its parts.
struct PartOfBox {
  TensorId tensor = -1;
  BoxRange box;              // of the part
  std::int64_t skipped = 0;  // of the whole's box, along TensorPlan::parted_along
};
std::vector<PartOfBox> parts_of_box(const Plan& plan, TensorId whole, const BoxRange& box);

// Whether it lies in the addressed memory of clusters. False before it is placed.
bool lies_in_cluster_memory(const Plan& plan, TensorId tensor);

// Elements of a row of one of the pieces of a storage of `shape`: of the innermost dimension as it lies there.
std::int64_t row_of(const TensorPlan& tensor, const Shape& shape, const PlacedPiece& piece);

// Size of one of the pieces of a tensor of `shape`, gaps between its rows included.
Bytes piece_bytes(const TensorPlan& tensor, const Shape& shape, const PlacedPiece& piece);

// The elements of a tensor that move: `box`, every `step`-th where given, with padding around it (loads only).
struct TensorRegion {
  TensorId tensor = -1;
  BoxRange box;
  std::vector<std::int64_t> step;               // empty: all ones
  std::vector<std::int64_t> pad_low, pad_high;  // empty: none; elements
  double pad_value = 0;
  bool cached = false;

  // Elements per dimension, padding included.
  std::vector<std::int64_t> extents() const;
};

// Where they lie on the core: byte strides per dimension of the tensor.
struct ChipBox {
  Space space = Space::kBufferA;
  Address address = 0;
  std::vector<std::int64_t> stride;
};

// Byte strides of a row-major array.
std::vector<std::int64_t> packed_strides(const std::vector<std::int64_t>& extents, int element_bytes);
std::int64_t product_of(const std::vector<std::int64_t>& extents);

// Transfers (kLoad or kStore) between the region and the core: one per piece touched, of every part where the tensor
// lies in its parts, more only for boxes that do not fold into five dimensions.
std::vector<Transfer> transfers_of(const Plan& plan, const TensorRegion& region, const ChipBox& chip,
                                   TransferKind kind);

// Name of the segment of one piece of a tensor: the tensor's own when it has just one.
std::string piece_name(const std::string& tensor, const TensorPlan& placed, std::size_t piece);
// Name of the segment of PlacedPiece::copies[copy] of the piece of that name.
std::string copy_name(const std::string& piece, std::size_t copy);

}  // namespace tilewright
