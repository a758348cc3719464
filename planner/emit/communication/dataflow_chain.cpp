#include "planner/emit/communication/dataflow_chain.h"

#include <algorithm>

#include "planner/emit/communication/participants.h"
#include "planner/emit/communication/program_writer.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr Bytes kValue = 2, kSumBytes = 4;  // bf16, fp32
constexpr int kSlots = 2;                   // one block is used while the next arrives
// Tokens of every core, and flags: a block has arrived, the next core has room for one.
constexpr int kWeights = 0, kInput = 1, kInputFree = 2, kSums = 3, kResult = 4, kResultFree = 5;
constexpr int kBlockArrived = 0, kNextHasRoom = 1;

class ChainWriter {
 public:
  ChainWriter(const Hardware& hardware, const DataflowChain& chain)
      : hardware_(hardware),
        chain_(chain),
        write_(hardware, "dataflow chain"),
        row_(chain.width * kValue),
        blocks_(chain.block_rows > 0 ? static_cast<int>(ceil_div(chain.rows, chain.block_rows)) : 0) {}

  Program run() {
    check();
    x_ = write_.segment("x", SegmentKind::kInput, DataType::kBf16, chain_.rows * row_);
    std::vector<Address> weights;
    for (int layer = 0; layer < layers(); ++layer)
      weights.push_back(
          write_.segment(fmt::format("w{}", layer), SegmentKind::kConstant, DataType::kBf16, chain_.width * row_));
    y_ = write_.segment("y", SegmentKind::kOutput, DataType::kBf16, chain_.rows * row_);
    write_.begin_operator("weights");
    for (int layer = 0; layer < layers(); ++layer) load_weights(layer, weights[static_cast<std::size_t>(layer)]);
    for (int layer = 0; layer < layers(); ++layer) {
      write_.begin_operator(fmt::format("layer{}", layer));
      for (int block = 0; block < blocks_; ++block) compute(layer, block);
    }
    return write_.finish();
  }

 private:
  int layers() const { return static_cast<int>(chain_.cores.size()); }
  int core(int layer) const { return chain_.cores[static_cast<std::size_t>(layer)]; }
  bool first(int layer) const { return layer == 0; }
  bool last(int layer) const { return layer + 1 == layers(); }
  bool again(int block) const { return block + kSlots < blocks_; }  // its places are used once more
  std::int64_t rows_of(int block) const { return std::min(chain_.block_rows, chain_.rows - block * chain_.block_rows); }
  Address input(int block) const { return block % kSlots * chain_.block_rows * row_; }
  Address sums(int block) const { return block % kSlots * chain_.block_rows * chain_.width * kSumBytes; }
  Address result(int block) const { return kSlots * chain_.block_rows * chain_.width * kSumBytes + input(block); }
  Address in_dram(Address tensor, int block) const { return tensor + block * chain_.block_rows * row_; }

  void check() const {
    check_participants(hardware_, chain_.cores, 1);
    if (chain_.rows < 1 || chain_.width < 1 || chain_.block_rows < 1)
      throw UserError("chain", fmt::format("got {} rows of {} in blocks of {}, expected 1 or more", chain_.rows,
                                           chain_.width, chain_.block_rows));
    const Bytes block = chain_.block_rows * chain_.width;
    fits("weights", chain_.width * row_, "buffer_b", hardware_.core.buffer_b);
    fits("two blocks of input", kSlots * block * kValue, "buffer_a", hardware_.core.buffer_a);
    fits("two blocks of sums and results", kSlots * block * (kSumBytes + kValue), "accumulator",
         hardware_.core.accumulator);
  }

  void fits(const char* what, Bytes bytes, const char* where, Bytes room) const {
    if (bytes > room)
      throw UserError(hardware_.name, fmt::format("{} take {} bytes of {}, which has {}", what, bytes, where, room));
  }

  void load_weights(int layer, Address from) {
    write_
        .move(core(layer), TransferKind::kLoad, DataType::kBf16, chain_.width * chain_.width, {Space::kDram, from},
              {Space::kBufferB, 0})
        .posts.add(kWeights);
  }

  void compute(int layer, int block) {
    if (first(layer)) load_input(layer, block);
    multiply(layer, block);
    activate(layer, block);
    hand_over(layer, block);
  }

  void load_input(int layer, int block) {
    Instruction& load = write_.move(core(layer), TransferKind::kLoad, DataType::kBf16, rows_of(block) * chain_.width,
                                    {Space::kDram, in_dram(x_, block)}, {Space::kBufferA, input(block)});
    if (block >= kSlots) load.waits.add(kInputFree);
    load.posts.add(kInput);
  }

  void multiply(int layer, int block) {
    if (!first(layer)) write_.wait(core(layer), Unit::kMatmul, kBlockArrived);
    Matmul product;
    product.m = {1, 1, rows_of(block)};
    product.n = product.k = {1, 1, chain_.width};
    product.a = {Space::kBufferA, input(block), {0, 0, row_}, {0, 0, kValue}};
    product.b = {Space::kBufferB, 0, {0, 0, row_}, {0, 0, kValue}};
    product.c = {Space::kAccumulator, sums(block), {0, 0, chain_.width * kSumBytes}, {0, 0, kSumBytes}};
    Instruction& instruction = write_.add(core(layer), Unit::kMatmul, product);
    if (block == 0) instruction.waits.add(kWeights);
    if (first(layer)) instruction.waits.add(kInput);
    if (block >= kSlots) instruction.waits.add(kResultFree);
    instruction.posts.add(kSums);
    if (first(layer) && again(block)) instruction.posts.add(kInputFree);
    if (!first(layer) && again(block)) write_.signal(core(layer), Unit::kMatmul, core(layer - 1), kNextHasRoom);
  }

  void activate(int layer, int block) {
    Vector relu;
    relu.op = VectorOp::kRelu;
    relu.shape = {1, 1, 1, 1, rows_of(block) * chain_.width};
    relu.a = {Space::kAccumulator, sums(block), {0, 0, 0, 0, kSumBytes}, DataType::kFp32};
    relu.target = {Space::kAccumulator, result(block), {0, 0, 0, 0, kValue}, DataType::kBf16};
    Instruction& instruction = write_.add(core(layer), Unit::kVector, relu);
    instruction.waits.add(kSums);
    instruction.posts.add(kResult);
  }

  void hand_over(int layer, int block) {
    const bool out = last(layer);
    if (!out && block >= kSlots) write_.wait(core(layer), Unit::kStore, kNextHasRoom);
    const Box target =
        out ? Box{Space::kDram, in_dram(y_, block)} : Box{Space::kBufferA, input(block), {}, core(layer + 1)};
    Instruction& store = write_.move(core(layer), TransferKind::kStore, DataType::kBf16, rows_of(block) * chain_.width,
                                     {Space::kAccumulator, result(block)}, target);
    store.waits.add(kResult);
    if (again(block)) store.posts.add(kResultFree);
    if (!out) write_.signal(core(layer), Unit::kStore, core(layer + 1), kBlockArrived);
  }

  const Hardware& hardware_;
  const DataflowChain& chain_;
  ProgramWriter write_;
  const Bytes row_;
  const int blocks_;
  Address x_ = 0, y_ = 0;
};

}  // namespace

Program dataflow_chain_program(const Hardware& hardware, const DataflowChain& chain) {
  return ChainWriter(hardware, chain).run();
}

}  // namespace tilewright
