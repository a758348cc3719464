// A hand-written double-buffered GEMM for one core, C[m,n] = A[m,k] * B[k,n] in bf16, as a compiler would make it: the
// session's tests and benchmarks need a program that does not depend on the planner.
#pragma once

#include <string>

#include "sim/hw/config/hardware.h"
#include "sim/isa/binary.h"
#include "sim/isa/program.h"

namespace tilewright::testing_support {

struct GemmShape {
  std::int64_t m = 256, n = 256, k = 256;
  std::int64_t tile_m = 64, tile_n = 64;  // divide m and n; the whole of k is one step
};

class GemmProgram {
 public:
  // Segments from `base` on: "a", "b", "c" and the instructions.
  GemmProgram(const Hardware& hardware, const GemmShape& shape, Address base = 0)
      : shape_(shape), a_(base), b_(a_ + align(2 * shape.m * shape.k)), c_(b_ + align(2 * shape.k * shape.n)) {
    program_.name = "gemm";
    program_.operators = {"none", "gemm"};
    program_.cores.resize(hardware.cores());
  }

  Program make(int core = 0) {
    const std::int64_t tiles = shape_.m / shape_.tile_m * (shape_.n / shape_.tile_n);
    for (std::int64_t tile = 0; tile < tiles; ++tile) add_tile(tile, tiles);
    program_.cores[core].instructions = instructions_;
    program_.cores[core].fetch_address = c_ + align(2 * shape_.m * shape_.n);
    add_segments(encoded_size(program_.cores[core]), program_.cores[core].fetch_address);
    return program_;
  }

 private:
  // Tokens, one pair each for the two slots.
  enum Token { kFullA = 0, kFullB = 2, kFreeInputs = 4, kSummed = 6, kRounded = 8, kFreeResult = 10 };

  static Bytes align(Bytes bytes) { return round_up<Bytes>(bytes, 4096); }

  void add_tile(std::int64_t tile, std::int64_t tiles) {
    slot_ = static_cast<int>(tile % 2);
    const bool reused = tile >= 2, again = tile + 2 < tiles;
    const std::int64_t row = tile / (shape_.n / shape_.tile_n) * shape_.tile_m;
    const std::int64_t column = tile % (shape_.n / shape_.tile_n) * shape_.tile_n;
    load(Space::kBufferA, slot_ * a_bytes(), a_ + 2 * row * shape_.k, shape_.tile_m, shape_.k, shape_.k);
    if (reused) wait(kFreeInputs);
    post(kFullA);
    load(Space::kBufferB, slot_ * b_bytes(), b_ + 2 * column, shape_.k, shape_.tile_n, shape_.n);
    post(kFullB);
    matmul();
    wait(kFullA), wait(kFullB);
    if (reused) wait(kFreeResult);
    if (again) post(kFreeInputs);
    post(kSummed);
    round();
    wait(kSummed), post(kRounded);
    store(c_ + 2 * (row * shape_.n + column));
    wait(kRounded);
    if (again) post(kFreeResult);
  }

  Bytes a_bytes() const { return 2 * shape_.tile_m * shape_.k; }
  Bytes b_bytes() const { return 2 * shape_.k * shape_.tile_n; }
  Address sums() const { return slot_ * 4 * shape_.tile_m * shape_.tile_n; }
  Address results() const { return (8 + slot_ * 2) * shape_.tile_m * shape_.tile_n; }

  void add(Unit unit, Payload payload) { instructions_.push_back({unit, 1, {}, {}, std::move(payload)}); }
  void wait(int token) { instructions_.back().waits.add(token + slot_); }
  void post(int token) { instructions_.back().posts.add(token + slot_); }

  void load(Space space, Address to, Address from, std::int64_t rows, std::int64_t columns, std::int64_t pitch) {
    Transfer transfer;
    transfer.shape = {1, 1, 1, rows, columns};
    transfer.source = {Space::kDram, from, {0, 0, 0, 2 * pitch, 2}};
    transfer.target = {space, to, {0, 0, 0, 2 * columns, 2}};
    add(Unit::kLoad, transfer);
  }

  void matmul() {
    Matmul matmul;
    matmul.m[2] = shape_.tile_m, matmul.n[2] = shape_.tile_n, matmul.k[2] = shape_.k;
    matmul.a = {Space::kBufferA, slot_ * a_bytes(), {0, 0, 2 * shape_.k}, {0, 0, 2}};
    matmul.b = {Space::kBufferB, slot_ * b_bytes(), {0, 0, 2 * shape_.tile_n}, {0, 0, 2}};
    matmul.c = {Space::kAccumulator, sums(), {0, 0, 4 * shape_.tile_n}, {0, 0, 4}};
    add(Unit::kMatmul, matmul);
  }

  void round() {
    Vector vector;
    vector.shape = {1, 1, 1, 1, shape_.tile_m * shape_.tile_n};
    vector.a = {Space::kAccumulator, sums(), {0, 0, 0, 0, 4}, DataType::kFp32};
    vector.target = {Space::kAccumulator, results(), {0, 0, 0, 0, 2}, DataType::kBf16};
    add(Unit::kVector, vector);
  }

  void store(Address to) {
    Transfer transfer;
    transfer.kind = TransferKind::kStore;
    transfer.shape = {1, 1, 1, shape_.tile_m, shape_.tile_n};
    transfer.source = {Space::kAccumulator, results(), {0, 0, 0, 2 * shape_.tile_n, 2}};
    transfer.target = {Space::kDram, to, {0, 0, 0, 2 * shape_.n, 2}};
    add(Unit::kStore, transfer);
  }

  void add_segments(Bytes code, Address code_address) {
    const auto add = [&](const char* name, SegmentKind kind, Address address, Bytes bytes) {
      program_.segments.push_back({name, kind, DataType::kBf16, address, bytes});
    };
    add("a", SegmentKind::kInput, a_, 2 * shape_.m * shape_.k);
    add("b", SegmentKind::kConstant, b_, 2 * shape_.k * shape_.n);
    add("c", SegmentKind::kOutput, c_, 2 * shape_.m * shape_.n);
    add("code", SegmentKind::kInstructions, code_address, round_up<Bytes>(code, 64));
  }

  const GemmShape shape_;
  const Address a_, b_, c_;
  Program program_;
  std::vector<Instruction> instructions_;
  int slot_ = 0;
};

}  // namespace tilewright::testing_support
