#include "planner/emit/communication/multicast_product.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "planner/emit/communication/program_writer.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr int kOperandSlots = 2;  // blocks of each operand that a core holds: one is multiplied, one comes
constexpr Bytes kSumTile = kTileSide * kTileSide * 4;

// Tokens of a core: both blocks of a step are there; their slot may be filled again; a block of C is finished; it is
// stored, for the matmul and for the load stream.
enum ProductToken : int { kStepReady, kSlotFree, kBlockFinished, kStored, kStoredToo };

enum OperatorNumber : std::uint16_t { kOperandsOperator = 1, kProductsOperator, kResultsOperator };
constexpr std::array<const char*, 3> kOperatorNames{"operands", kMulticastProducts, "results"};

class MulticastWriter {
 public:
  MulticastWriter(const Hardware& hardware, const std::string& name, const MulticastProduct& product, int blocks)
      : hardware_(hardware),
        p_(product),
        blocks_(blocks),
        write_(hardware, name),
        begins_(static_cast<std::size_t>(hardware.cores())) {}

  Program run() {
    check();
    const Bytes k = p_.k;
    if (!p_.a_in_cores) a_ = write_.segment("a", SegmentKind::kInput, DataType::kInt8, all_m() * k * p_.tile_bytes);
    b_ = write_.segment("b", SegmentKind::kConstant, DataType::kInt8, k * all_n() * p_.tile_bytes);
    if (!p_.c_in_cores)
      c_ = write_.segment("c", SegmentKind::kOutput, DataType::kInt8, all_m() * all_n() * p_.tile_bytes);
    for (const char* name : kOperatorNames) write_.begin_operator(name);
    for (int step = 0; step < steps(); ++step) {
      move_operands(step);
      for_cores([&](int row, int column) { multiply(row, column, step); });
      if (!p_.c_in_cores && ends_block(step))
        for_cores([&](int row, int column) { store(row, column, block_of(step)); });
    }
    return write_.finish();
  }

 private:
  void check() const {
    divides("core_m", p_.core_m, p_.block_m), divides("core_n", p_.core_n, p_.block_n), divides("k", p_.k, p_.block_k);
    if (p_.a_in_cores) divides("k of a core", shard_k(), p_.block_k);
    if (p_.rows * p_.columns != hardware_.cores())
      throw UserError(hardware_.name,
                      fmt::format("has {} cores, expected {} x {}", hardware_.cores(), p_.rows, p_.columns));
    fits("A", kOperandSlots * a_block() + (p_.a_in_cores ? p_.core_m * shard_k() * p_.tile_bytes : 0),
         hardware_.core.buffer_a);
    fits("B", kOperandSlots * b_block(), hardware_.core.buffer_b);
    fits("the sums", p_.block_m * p_.block_n * kSumTile, hardware_.core.accumulator);
  }

  static void divides(const char* what, int whole, int part) {
    if (part < 1 || whole < 1 || whole % part != 0)
      throw UserError(what, fmt::format("{} tiles are no multiple of {}", whole, part));
  }

  void fits(const char* what, Bytes bytes, Bytes room) const {
    if (bytes > room) throw UserError(hardware_.name, fmt::format("{} take {} bytes of {}", what, bytes, room));
  }

  // The senders of B have the last numbers: a core shares the port of its number with the channel of that number.
  int core(int row, int column) const { return (p_.rows - 1 - row) * p_.columns + (p_.columns - 1 - column); }
  template <typename Visit>
  void for_cores(const Visit& visit) const {
    for (int row = 0; row < p_.rows; ++row)
      for (int column = 0; column < p_.columns; ++column) visit(row, column);
  }

  std::int64_t all_m() const { return std::int64_t{p_.core_m} * p_.rows; }
  std::int64_t all_n() const { return std::int64_t{p_.core_n} * p_.columns; }
  int shard_k() const { return p_.k / p_.columns; }
  int steps() const { return blocks_ * p_.steps_of_block(); }
  Bytes a_block() const { return Bytes{p_.block_m} * p_.block_k * p_.tile_bytes; }
  Bytes b_block() const { return Bytes{p_.block_k} * p_.block_n * p_.tile_bytes; }
  static int slot(int step) { return step % kOperandSlots; }

  int block_of(int step) const { return step / p_.steps_of_block(); }
  int k_of(int step) const { return step % p_.steps_of_block() * p_.block_k; }
  // First row and column of a block of C in the rectangle of its core.
  int m_of(int block) const { return block / (p_.core_n / p_.block_n) * p_.block_m; }
  int n_of(int block) const { return block % (p_.core_n / p_.block_n) * p_.block_n; }
  bool begins_block(int step) const { return k_of(step) == 0; }
  bool ends_block(int step) const { return k_of(step) + p_.block_k == p_.k; }
  int sender_of_a(int step) const { return p_.a_in_cores ? k_of(step) / shard_k() : 0; }

  // One step of every core's load stream. What reads DRAM comes first, so that both operands are read at the same time;
  // where A is in the buffers already its multicast comes first and B is read meanwhile.
  void move_operands(int step) {
    begins_.assign(begins_.size(), step);
    if (p_.a_in_cores) multicast_a(step);
    for_cores([&](int row, int column) {
      if (!p_.a_in_cores && column == 0) read_a(row, step);
      if (row == 0) read_b(column, step);
    });
    if (!p_.a_in_cores) multicast_a(step);
    multicast_b(step);
  }

  // A slot is free when its last block has been multiplied, and a core goes on to the next block of C when it has
  // written the last: its first instruction of a step waits for both.
  Instruction& begun(int core, Instruction& instruction) {
    const int step = std::exchange(begins_[static_cast<std::size_t>(core)], 0);
    if (step >= kOperandSlots) instruction.waits.add(kSlotFree);
    if (step > 0 && !p_.c_in_cores && begins_block(step)) instruction.waits.add(kStoredToo);
    return instruction;
  }

  void multicast_a(int step) {
    const int sender = sender_of_a(step);
    const Address from = p_.a_in_cores ? kOperandSlots * a_block() + k_of(step) % shard_k() * p_.core_m * p_.tile_bytes
                                       : slot(step) * a_block();
    for (int row = 0; row < p_.rows; ++row) {
      for (int column = 0; column < p_.columns; ++column) meet(row, column, p_.columns);
      ++next_barrier_;
      for (int column = 0; column < p_.columns; ++column)
        if (column != sender)
          write_.move(core(row, column), TransferKind::kLoad, DataType::kInt8, a_block(),
                      {Space::kBufferA, from, {}, core(row, sender)}, {Space::kBufferA, slot(step) * a_block()});
    }
  }

  // The sender multiplies what it sends without waiting for the others; its next read waits until this multicast is
  // over, because both take the links of the column.
  void multicast_b(int step) {
    for (int column = 0; column < p_.columns; ++column) {
      for (int row = 0; row < p_.rows; ++row) {
        Instruction& ready_to_send = meet(row, column, p_.rows);
        if (row == 0) ready_to_send.posts.add(kStepReady);
      }
      ++next_barrier_;
      for (int row = 1; row < p_.rows; ++row)
        write_
            .move(core(row, column), TransferKind::kLoad, DataType::kInt8, b_block(),
                  {Space::kBufferB, slot(step) * b_block(), {}, core(0, column)},
                  {Space::kBufferB, slot(step) * b_block()})
            .posts.add(kStepReady);
      for (int row = 0; row < p_.rows; ++row) meet(row, column, p_.rows);
      ++next_barrier_;
    }
  }

  Instruction& meet(int row, int column, int participants) {
    const int number = core(row, column);
    return begun(number, write_.add(number, Unit::kLoad, Barrier{next_barrier_, participants}));
  }

  void read_a(int row, int step) {
    const std::int64_t first = std::int64_t{row} * p_.core_m + m_of(block_of(step));
    for (int m = 0; m < p_.block_m; ++m)
      for (int k = 0; k < p_.block_k; ++k)
        read_tile(core(row, 0), a_ + ((first + m) * p_.k + k_of(step) + k) * p_.tile_bytes,
                  {Space::kBufferA, slot(step) * a_block() + (Bytes{m} * p_.block_k + k) * p_.tile_bytes});
  }

  void read_b(int column, int step) {
    const std::int64_t first = std::int64_t{column} * p_.core_n + n_of(block_of(step));
    for (int k = 0; k < p_.block_k; ++k)
      for (int n = 0; n < p_.block_n; ++n)
        read_tile(core(0, column), b_ + ((k_of(step) + k) * all_n() + first + n) * p_.tile_bytes,
                  {Space::kBufferB, slot(step) * b_block() + (Bytes{k} * p_.block_n + n) * p_.tile_bytes});
  }

  Instruction& read_tile(int reader, Address from, const Box& to) {
    return begun(reader,
                 write_.move(reader, TransferKind::kLoad, DataType::kInt8, p_.tile_bytes, {Space::kDram, from}, to));
  }

  // The unit's time does not depend on where operands lie: A and B are one row that every row reads. It walks as many
  // elements as the product of two tiles takes cycles.
  void multiply(int row, int column, int step) {
    const auto& array = hardware_.core.matmul;
    const double per_cycle =
        array.rate[static_cast<int>(DataType::kBf16)] * array.rows * array.columns / (kTileSide * kTileSide);
    Matmul product;
    product.m[2] = p_.block_m * kTileSide;
    product.n[2] = p_.block_n * kTileSide;
    product.k[2] = std::llround(p_.block_k * p_.cycles_per_tile * per_cycle);
    product.a = {Space::kBufferA, slot(step) * a_block(), {}, {}};
    product.b = {Space::kBufferB, slot(step) * b_block(), {}, {}};
    product.c = {Space::kAccumulator, 0, {0, 0, product.n[2] * 4}, {0, 0, 4}};
    product.accumulate = k_of(step) > 0;
    Instruction& instruction = write_.add(core(row, column), Unit::kMatmul, product);
    instruction.op = kProductsOperator;
    instruction.waits.add(kStepReady);
    if (!p_.c_in_cores && step > 0 && begins_block(step)) instruction.waits.add(kStored);
    if (step + kOperandSlots < steps()) instruction.posts.add(kSlotFree);
    if (!p_.c_in_cores && ends_block(step)) instruction.posts.add(kBlockFinished);
  }

  // Tiles of a row lie side by side in DRAM.
  void store(int row, int column, int block) {
    const std::int64_t m = std::int64_t{row} * p_.core_m + m_of(block),
                       n = std::int64_t{column} * p_.core_n + n_of(block);
    Transfer transfer;
    transfer.kind = TransferKind::kStore;
    transfer.type = DataType::kInt8;
    transfer.shape = {1, 1, 1, p_.block_m, p_.block_n * p_.tile_bytes};
    transfer.source = {Space::kAccumulator, 0, {0, 0, 0, p_.block_n * kSumTile, 1}};
    transfer.target = {Space::kDram, c_ + (m * all_n() + n) * p_.tile_bytes, {0, 0, 0, all_n() * p_.tile_bytes, 1}};
    Instruction& instruction = write_.add(core(row, column), Unit::kStore, transfer);
    instruction.op = kResultsOperator;
    instruction.waits.add(kBlockFinished);
    if (block + 1 == blocks_) return;
    instruction.posts.add(kStored);
    instruction.posts.add(kStoredToo);
  }

  const Hardware& hardware_;
  const MulticastProduct& p_;
  const int blocks_;
  ProgramWriter write_;
  Address a_ = 0, b_ = 0, c_ = 0;
  int next_barrier_ = 0;
  std::vector<int> begins_;  // by core: the step whose first instruction is still to come
};

}  // namespace

Program multicast_product_program(const Hardware& hardware, const std::string& name, const MulticastProduct& product,
                                  int blocks) {
  return MulticastWriter(hardware, name, product, blocks).run();
}

}  // namespace tilewright
