#include "sim/isa/operand.h"

#include <algorithm>

namespace tilewright {

namespace {

Operand box_operand(std::string_view role, const Box& box, const Extents& shape, DataType type, bool write) {
  Operand operand{role, box.space, write, box.address, bytes_of(type), kBoxDims, {}};
  for (int d = 0; d < kBoxDims; ++d) operand.repeats[d] = {shape[d], box.stride[d]};
  return operand;
}

void add_operands(Operands& out, const Transfer& t) {
  Extents read = t.shape;
  for (int d = 0; d < kBoxDims; ++d) read[d] -= t.pad_low[d] + t.pad_high[d];
  const bool reads = std::all_of(read.begin(), read.end(), [](std::int64_t extent) { return extent > 0; });
  if (reads) out.add(box_operand("source", t.source, read, t.type, false));
  out.add(box_operand("target", t.target, t.shape, t.type, true));
}

Operand matmul_operand(std::string_view role, const MatmulOperand& place, const MatmulExtents& rows,
                       const MatmulExtents& columns, DataType type, bool write) {
  Operand operand{role, place.space, write, place.address, bytes_of(type), 2 * kMatmulDims, {}};
  for (int d = 0; d < kMatmulDims; ++d) {
    operand.repeats[d] = {rows[d], place.row_stride[d]};
    operand.repeats[kMatmulDims + d] = {columns[d], place.column_stride[d]};
  }
  return operand;
}

void add_operands(Operands& out, const Matmul& mm) {
  out.add(matmul_operand("a", mm.a, mm.m, mm.k, mm.type, false));
  out.add(matmul_operand("b", mm.b, mm.k, mm.n, mm.type, false));
  out.add(matmul_operand("c", mm.c, mm.m, mm.n, accumulator_type(mm.type), true));
}

Operand vector_operand(std::string_view role, const VectorOperand& place, const Extents& shape, bool write) {
  Operand operand{role, place.space, write, place.address, bytes_of(place.type), kBoxDims, {}};
  for (int d = 0; d < kBoxDims; ++d) operand.repeats[d] = {shape[d], place.stride[d]};
  return operand;
}

void add_operands(Operands& out, const Vector& v) {
  out.add(vector_operand("a", v.a, v.shape, false));
  if (is_binary(v.op) && !v.b_is_immediate) out.add(vector_operand("b", v.b, v.shape, false));
  Operand target = vector_operand("target", v.target, v.shape, true);
  for (Repeat& repeat : target.repeats) {
    if (is_reduction(v.op) && repeat.stride == 0) repeat.count = 1;
  }
  out.add(target);
}

void add_operands(Operands&, const Signal&) {}
void add_operands(Operands&, const Wait&) {}
void add_operands(Operands&, const Barrier&) {}

}  // namespace

Operands operands_of(const Instruction& instruction) {
  Operands operands;
  std::visit([&](const auto& payload) { add_operands(operands, payload); }, instruction.payload);
  return operands;
}

Footprint footprint_of(const Operand& operand) {
  return {operand.address, operand.element, operand.repeats, operand.dims};
}

}  // namespace tilewright
