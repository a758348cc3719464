// Tensors whose elements lie in the order of another one (TensorPlan::permuted): from their ranges to those of the
// storage.
#pragma once

#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

// Dimensions of the storage that each dimension of `shape` is made of, `permuted` being those of a tensor in its order;
// empty where one of them begins or ends inside a dimension of the storage.
std::vector<std::vector<int>> factors_of(const Shape& shape, const Shape& storage, const std::vector<int>& permuted);

// A part of a tensor's box that is a box of the storage.
struct StorageBox {
  BoxRange box;                      // of the storage
  std::vector<std::int64_t> offset;  // per dimension of the tensor, of its first element in the tensor's box
};

class StorageOrder {
 public:
  StorageOrder(const Plan& plan, TensorId tensor);

  TensorId storage() const { return storage_; }
  // A range that begins or ends inside one of the dimensions that its own is made of is cut there.
  std::vector<StorageBox> boxes(const BoxRange& box) const;
  // Per dimension of the storage, out of those per dimension of the tensor.
  std::vector<std::int64_t> strides(const std::vector<std::int64_t>& own) const;
  // Positions in the storage, counted as if it lay in one piece, of the tensor's elements in their own order.
  std::vector<std::int64_t> positions() const;

 private:
  const TensorId storage_;
  const Shape& shape_;  // of the storage
  const std::vector<std::vector<int>> factors_;
};

}  // namespace tilewright
