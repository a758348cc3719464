// The vector operations that a reduction is made of, wherever its operands lie.
#pragma once

#include <cstdint>
#include <optional>

#include "planner/emit/pipeline.h"

namespace tilewright {

// What adds elements to a partial result of ReduceMax, ReduceSum or ReduceMean.
VectorOp reducing_op(OpKind reduction);
// What makes the result of type `result` of a complete partial one of `count` elements, without operands and shape.
// Nothing where they are the same.
std::optional<Vector> finishing_step(OpKind reduction, std::int64_t count, DataType partial, DataType result);

// Results of several rows, packed at `address` of the accumulate buffer.
struct RowResults {
  Address address = 0;
  std::int64_t rows = 1;
  DataType stored = DataType::kFp32;
};
// The finishing step of rows of `count` elements in place: partial results in fp32 become packed ones as stored.
void finish_rows(Pipeline& pipeline, OpKind reduction, std::int64_t count, const RowResults& results, Slot slot);

}  // namespace tilewright
