// Random programs: transfers between all memories, products and vector operations on all streams of all cores, ordered
// by tokens, signals and barriers where they touch a common byte and nowhere else. Values are small whole numbers,
// exact in every type and order of sums, so that a program has one right result: what the interpreter gives that knows
// no time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "sim/isa/text.h"
#include "sim/isa/verify/verify.h"
#include "sim/session.h"
#include "tests/property/random_chips.h"
#include "tests/support/interpreter/interpreter.h"
#include "tests/support/random_draws.h"

namespace tilewright::test {

class RandomProgram : public RandomDraws {
 public:
  RandomProgram(const Hardware& hardware, std::uint64_t seed) : RandomDraws(seed), hardware_(hardware) {
    program_ = {.name = "random", .operators = {"none", "work"}};
    program_.cores.resize(static_cast<std::size_t>(hardware.cores()));
    last_.assign(program_.cores.size() * kUnitCount, -1);
    make_segments();
    for (int core = 0; core < hardware.cores(); ++core) make_buffers(core);
    for (int cluster = 0; cluster < hardware.clusters; ++cluster) make_cluster(cluster);
  }

  void grow(int steps) {
    for (int i = 0; i < steps; ++i) {
      const int core = static_cast<int>(between(0, hardware_.cores() - 1)), kind = static_cast<int>(between(0, 19));
      const bool sums = kind == 9 && hardware_.network.reduction > 0;
      if (sums) sum(core);
      if (kind < 10 && !sums) transfer(core);
      if (kind >= 10 && kind < 14) product(core);
      if (kind >= 14 && kind < 19) vector(core);
      if (kind == 19) barrier();
    }
  }

  const Program& program() const { return program_; }
  // How many instructions work, and how many order them.
  int works() const { return works_; }
  int orders() const { return static_cast<int>(before_.size()) - works_; }

  // Whole numbers up to 3 in what programs may not write.
  RunOptions options() {
    RunOptions options{.values = true};
    for (const Segment& segment : program_.segments) {
      if (segment.kind != SegmentKind::kInput) {
        if (segment.kind != SegmentKind::kInstructions) options.keep.push_back(segment.name);
        continue;
      }
      options.initial.push_back({segment.name, std::vector<std::byte>(static_cast<std::size_t>(segment.bytes))});
      for (Bytes at = 0; at < segment.bytes; at += bytes_of(segment.type))
        store_element(options.initial.back().bytes.data() + at, segment.type, static_cast<double>(between(-3, 3)));
    }
    return options;
  }

 private:
  // A piece of one memory that holds numbers of one type, the largest of them `most`.
  struct Slot {
    Space space;
    int owner;  // core or cluster; kOwnMemory: DRAM
    Address address;
    Bytes bytes;
    DataType type;
    bool constant = false;
    double most = 0;
  };
  // Elements of a slot: extents and strides in bytes, outermost first.
  struct Walk {
    int slot = 0;
    Address address = 0;
    std::vector<std::int64_t> extent;
    std::vector<Bytes> stride;
  };
  // Who touched a byte last.
  struct Byte {
    int writer = -1;
    std::set<int> readers;  // since then
  };
  using Known = std::vector<bool>;

  static constexpr Bytes kSlot = 512;

  // The largest whole number up to which the type holds all.
  static double limit_of(DataType type) {
    switch (type) {
      case DataType::kBf16:
        return 256;
      case DataType::kFp16:
        return 2048;
      case DataType::kInt8:
        return 127;
      case DataType::kFp8E4m3:
        return 16;
      case DataType::kFp8E5m2:
        return 8;
      default:
        return 1 << 24;
    }
  }

  void add_slot(const Slot& slot) {
    if (slot.bytes < 8) return;
    slots_.push_back(slot);
    bytes_.emplace_back(static_cast<std::size_t>(slot.bytes));
  }

  // One of each kind and type, the written ones in the last region.
  void make_segments() {
    Address low = 0, high = hardware_.dram.region_capacity() * (hardware_.dram.regions - 1) + (1 << 24);
    for (int type = 0; type < kDataTypeCount; ++type) {
      for (const SegmentKind kind : {SegmentKind::kInput, SegmentKind::kHidden, SegmentKind::kOutput}) {
        const bool input = kind == SegmentKind::kInput;
        Address& at = input ? low : high;
        const auto element = static_cast<DataType>(type);
        program_.segments.push_back({fmt::format("{}.{}", name_of(kind), name_of(element)), kind, element, at, kSlot});
        add_slot({Space::kDram, kOwnMemory, at, kSlot, element, input, input ? 3.0 : 0.0});
        at += 4096;
      }
    }
    constexpr Bytes kCode = 1 << 16;
    for (std::size_t core = 0; core < program_.cores.size(); ++core)
      program_.cores[core].fetch_address = (1 << 19) + static_cast<Bytes>(core) * kCode;
    program_.segments.push_back({"code", SegmentKind::kInstructions, DataType::kInt8, 1 << 19,
                                 kCode * static_cast<Bytes>(program_.cores.size())});
  }

  // Equal parts for the types, of a few hundred bytes at most.
  void divide(Space space, int owner, Bytes bytes, const std::vector<DataType>& types) {
    const Bytes part = std::min(kSlot, bytes / std::ssize(types) / 8 * 8);
    for (std::size_t i = 0; i < types.size(); ++i)
      add_slot({space, owner, bytes / std::ssize(types) / 8 * 8 * static_cast<Bytes>(i), part, types[i]});
  }
  void make_buffers(int core) {
    const std::vector<DataType> inputs{DataType::kFp32, DataType::kFp16, DataType::kBf16, DataType::kInt8};
    divide(Space::kBufferA, core, hardware_.core_of(core).buffer_a, inputs);
    divide(Space::kBufferB, core, hardware_.core_of(core).buffer_b, inputs);
    divide(Space::kAccumulator, core, hardware_.core_of(core).accumulator,
           {DataType::kFp32, DataType::kInt32, DataType::kFp32, DataType::kInt8, DataType::kBf16});
  }
  void make_cluster(int cluster) {
    const auto& memory = hardware_.memory_of(cluster);
    if (!memory) return;
    divide(Space::kCluster, cluster, memory->addressed_capacity(),
           {DataType::kFp32, DataType::kInt32, DataType::kInt8, DataType::kBf16, DataType::kFp16});
  }

  static bool is_buffer(const Slot& slot) { return slot.space != Space::kDram && slot.space != Space::kCluster; }
  static bool is_own_buffer(const Slot& slot, int core) { return is_buffer(slot) && slot.owner == core; }
  static bool is_own_buffer(const Slot& slot, int core, std::optional<Space> space, std::optional<DataType> type) {
    return is_own_buffer(slot, core) && (!space || slot.space == *space) && (!type || slot.type == *type);
  }
  // What a core reaches by requests.
  static bool is_memory(const Slot& slot, int core, DataType type) {
    return !is_own_buffer(slot, core) && slot.type == type;
  }
  // The numbers of the slots that fit.
  template <typename Fits>
  std::optional<int> slot_where(Fits&& fits) {
    std::vector<int> found;
    for (int i = 0; i < std::ssize(slots_); ++i)
      if (fits(slots_[i])) found.push_back(i);
    if (found.empty()) return std::nullopt;
    return one_of(found);
  }
  // Mostly one that holds more than zeros.
  template <typename Fits>
  std::optional<int> source_where(Fits&& fits) {
    const bool filled = between(0, 7) != 0;
    const auto found = slot_where([&](const Slot& slot) { return fits(slot) && (slot.most > 0 || !filled); });
    return found ? found : slot_where(fits);
  }
  std::optional<int> buffer_with(int core, std::optional<Space> space, std::optional<DataType> type) {
    return source_where([&](const Slot& slot) { return is_own_buffer(slot, core, space, type); });
  }
  std::optional<int> buffer_of(int core, std::optional<Space> space, std::optional<DataType> type) {
    return slot_where([&](const Slot& slot) { return is_own_buffer(slot, core, space, type); });
  }
  // To be read, and to be written.
  std::optional<int> memory_with(int core, DataType type) {
    return source_where([&](const Slot& slot) { return is_memory(slot, core, type); });
  }
  std::optional<int> memory_for(int core, DataType type) {
    return slot_where([&](const Slot& slot) { return is_memory(slot, core, type) && !slot.constant; });
  }
  // As an instruction of the core names it.
  int owner_for(const Slot& slot, int core) const {
    const int own = slot.space == Space::kCluster ? hardware_.cluster_of(core) : core;
    return slot.owner == own ? kOwnMemory : slot.owner;
  }

  std::vector<std::int64_t> extents(std::size_t dims, std::int64_t most) {
    std::vector<std::int64_t> result(dims, 1);
    for (std::int64_t& extent : result) {
      extent = between(0, 1) == 0 ? 1 : between(1, std::min<std::int64_t>(most, 9));
      most /= extent;
    }
    std::shuffle(result.begin(), result.end(), random_);
    return result;
  }

  // Elements at random strides; a target's are nested in some order of the dimensions, so that no byte is met twice.
  // Dimensions in `still` have stride 0. Nothing where they do not fit.
  std::optional<Walk> walk(int slot, std::vector<std::int64_t> extent, bool target,
                           const std::vector<bool>& still = {}) {
    const Slot& in = slots_[slot];
    const Bytes element = bytes_of(in.type);
    std::vector<std::size_t> order(extent.size());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
    if (between(0, 1) == 0)
      std::shuffle(order.begin(), order.end(), random_);
    else
      std::reverse(order.begin(), order.end());
    Walk result{slot, 0, std::move(extent), {}};
    result.stride.assign(result.extent.size(), 0);
    Bytes span = element;
    for (const std::size_t d : order) {
      if (!still.empty() && still[d]) continue;
      if (result.extent[d] == 1 || (!target && between(0, 5) == 0)) continue;
      Bytes& stride = result.stride[d] = span + (between(0, 2) == 0 ? element * between(0, 3) : 0);
      if (!target && between(0, 3) == 0) stride = element * between(1, 4);
      span += stride * (result.extent[d] - 1);
    }
    if (span > in.bytes) return std::nullopt;
    result.address = in.address + element * between(0, (in.bytes - span) / element);
    return result;
  }

  template <typename Visit>
  static void for_each_address(const Walk& walk, std::size_t dim, Address at, const Visit& visit) {
    if (dim == walk.extent.size()) return visit(at);
    for (std::int64_t i = 0; i < walk.extent[dim]; ++i)
      for_each_address(walk, dim + 1, at + i * walk.stride[dim], visit);
  }
  template <typename Visit>
  void for_each_byte(const Walk& walk, const Visit& visit) {
    const Slot& slot = slots_[walk.slot];
    for_each_address(walk, 0, walk.address, [&](Address at) {
      for (Bytes i = 0; i < bytes_of(slot.type); ++i) visit(bytes_[walk.slot][at + i - slot.address]);
    });
  }

  static std::size_t stream_of(int core, Unit unit) {
    return static_cast<std::size_t>(core) * kUnitCount + static_cast<std::size_t>(unit);
  }

  // At the end of its stream, behind what it already knows to be done; its number.
  int append(int core, Instruction instruction, Known known = {}) {
    const int number = static_cast<int>(before_.size());
    known.resize(static_cast<std::size_t>(number));
    int& last = last_[stream_of(core, instruction.unit)];
    if (last >= 0) learn(known, last);
    last = number;
    before_.push_back(std::move(known));
    auto& list = program_.cores[core].instructions;
    places_.push_back({core, instruction.unit, list.size()});
    instruction.op = 1;
    list.push_back(std::move(instruction));
    return number;
  }
  void learn(Known& known, int node) const {
    known.resize(std::max<std::size_t>(known.size(), before_.size()));
    known[node] = true;
    for (std::size_t i = 0; i < before_[node].size(); ++i) known[i] = known[i] || before_[node][i];
  }
  static Instruction order_only(Unit unit, Payload payload) { return {unit, 1, {}, {}, std::move(payload)}; }

  // An instruction that works, behind all that touched its bytes before, one of them writing.
  void work(int core, Instruction instruction, const std::vector<Walk>& reads, const Walk& write) {
    std::set<int> after;
    for (const Walk& read : reads) for_each_byte(read, [&](Byte& byte) { after.insert(byte.writer); });
    for_each_byte(write, [&](Byte& byte) {
      after.insert(byte.writer);
      after.insert(byte.readers.begin(), byte.readers.end());
    });
    after.erase(-1);
    Known known(before_.size());
    if (const int last = last_[stream_of(core, instruction.unit)]; last >= 0) learn(known, last);
    for (auto node = after.rbegin(); node != after.rend(); ++node)
      if (!known[*node]) wait_for(*node, core, instruction, known);
    const int number = append(core, std::move(instruction), std::move(known));
    ++works_;
    for (const Walk& read : reads) for_each_byte(read, [&](Byte& byte) { byte.readers.insert(number); });
    for_each_byte(write, [&](Byte& byte) { byte = {number, {}}; });
  }

  void wait_for(int node, int core, Instruction& instruction, Known& known) {
    const auto place = places_[node];
    if (place.core == core) return wait_for_token(place, node, instruction, known);
    const int flag = ++flags_;
    const int signal = append(place.core, order_only(place.unit, Signal{core, flag}));
    Known heard;
    learn(heard, signal);
    learn(known, append(core, order_only(instruction.unit, Wait{flag, 1}), std::move(heard)));
  }

  // From the instruction itself where it has room for a token, else from one behind it.
  struct Place {
    int core;
    Unit unit;
    std::size_t index;
  };
  void wait_for_token(const Place& place, int node, Instruction& instruction, Known& known) {
    const int token = tokens_[place.core]++;
    auto& list = program_.cores[place.core].instructions;
    if (list[place.index].posts.count < kMaxTokensPerList) {
      list[place.index].posts.add(token);
    } else {
      Instruction carrier = order_only(place.unit, Barrier{++barriers_, 1});
      carrier.posts.add(token);
      node = append(place.core, std::move(carrier));
    }
    if (instruction.waits.count < kMaxTokensPerList) {
      instruction.waits.add(token);
      return learn(known, node);
    }
    Instruction carrier = order_only(instruction.unit, Barrier{++barriers_, 1});
    carrier.waits.add(token);
    Known heard;
    learn(heard, node);
    learn(known, append(place.core, std::move(carrier), std::move(heard)));
  }

  // Behind it every core knows what all did before, in one of its streams.
  void barrier() {
    const int id = ++barriers_;
    Known known;
    std::vector<int> arrived;
    for (int core = 0; core < hardware_.cores(); ++core) {
      arrived.push_back(append(core, order_only(static_cast<Unit>(between(0, 3)), Barrier{id, hardware_.cores()})));
      learn(known, arrived.back());
    }
    for (const int node : arrived) before_[node] = known;
  }

  template <std::size_t N>
  static std::array<std::int64_t, N> last_dims(const std::vector<std::int64_t>& values, std::int64_t fill) {
    std::array<std::int64_t, N> result;
    result.fill(fill);
    std::copy(values.begin(), values.end(), result.end() - static_cast<std::ptrdiff_t>(values.size()));
    return result;
  }
  Box box(const Walk& walk, int core) const {
    const Slot& slot = slots_[walk.slot];
    return {slot.space, walk.address, last_dims<kBoxDims>(walk.stride, 0), owner_for(slot, core)};
  }
  VectorOperand operand(const Walk& walk) const {
    const Slot& slot = slots_[walk.slot];
    return {slot.space, walk.address, last_dims<kBoxDims>(walk.stride, 0), slot.type};
  }

  void transfer(int core) {
    const int kind = static_cast<int>(between(0, 2));
    Transfer t{.kind = static_cast<TransferKind>(kind)};
    t.type = static_cast<DataType>(between(0, kDataTypeCount - 1));
    const auto source = kind == 1 ? buffer_with(core, {}, t.type) : memory_with(core, t.type);
    const auto target = kind == 0 ? buffer_of(core, {}, t.type) : memory_for(core, t.type);
    if (!source || !target || *source == *target) return;
    const std::vector<std::int64_t> shape = extents(static_cast<std::size_t>(between(1, kBoxDims)), 120);
    std::vector<std::int64_t> read = shape;
    if (kind == 0 && between(0, 3) == 0) pad(t, read);
    const auto from = walk(*source, read, false), to = walk(*target, shape, true);
    if (!from || !to) return;
    t.shape = last_dims<kBoxDims>(shape, 1);
    t.source = box(*from, core), t.target = box(*to, core);
    t.cached = kind == 0 && slots_[*source].constant && between(0, 1) == 0;
    double& most = slots_[*target].most;
    most = std::max({most, slots_[*source].most, std::abs(t.pad_value)});
    const Unit unit = kind == 0 || (kind == 2 && between(0, 1) == 0) ? Unit::kLoad : Unit::kStore;
    work(core, {unit, 1, {}, {}, t}, {*from}, *to);
  }
  // Over cores or clusters at even distances, the reader's own perhaps among them.
  void sum(int core) {
    Transfer t{.type = one_of<DataType>({DataType::kFp32, DataType::kInt32})};
    const auto first = slot_where([&](const Slot& slot) { return slot.space != Space::kDram && slot.type == t.type; });
    const auto target = buffer_of(core, {}, t.type);
    if (!first || !target) return;
    const Slot& slot = slots_[*first];
    const int owners = slot.space == Space::kCluster ? hardware_.clusters : hardware_.cores();
    const int step = static_cast<int>(between(1, 3)), most = (owners - 1 - slot.owner) / step + 1;
    if (most < 2) return;
    t.summed = {{1, static_cast<std::uint16_t>(between(2, most))}, {0, static_cast<std::uint16_t>(step)}};
    const std::vector<std::int64_t> shape = extents(static_cast<std::size_t>(between(1, kBoxDims)), 120);
    const auto from = walk(*first, shape, false), to = walk(*target, shape, true);
    if (!from || !to) return;
    std::vector<Walk> reads;
    double largest = 0;
    t.summed.for_each(slot.owner, [&](int owner) {
      const auto same = slot_where([&](const Slot& other) {
        return other.space == slot.space && other.address == slot.address && other.owner == owner;
      });
      if (!same || slots_[*same].type != t.type || slots_[*same].bytes < slot.bytes) return;
      reads.push_back(*from);
      reads.back().slot = *same;
      largest += slots_[*same].most;
    });
    if (std::ssize(reads) < t.summed.size() || largest > limit_of(t.type)) return;
    t.shape = last_dims<kBoxDims>(shape, 1);
    t.source = box(*from, core), t.target = box(*to, core);
    t.source.owner = slot.owner;
    slots_[*target].most = std::max(slots_[*target].most, largest);
    work(core, {Unit::kLoad, 1, {}, {}, t}, reads, *to);
  }
  // Takes what is not read off the extents.
  void pad(Transfer& t, std::vector<std::int64_t>& read) {
    t.pad_value = static_cast<double>(between(-3, 3));
    const std::size_t first = kBoxDims - read.size();
    for (std::size_t d = 0; d < read.size(); ++d) {
      t.pad_low[first + d] = between(0, std::min<std::int64_t>(2, read[d] - 1));
      t.pad_high[first + d] = between(0, std::min<std::int64_t>(2, read[d] - 1 - t.pad_low[first + d]));
      read[d] -= t.pad_low[first + d] + t.pad_high[first + d];
    }
  }

  void product(int core) {
    Matmul p{.type = one_of<DataType>({DataType::kFp32, DataType::kFp16, DataType::kBf16, DataType::kInt8})};
    const auto a = buffer_with(core, Space::kBufferA, p.type), b = buffer_with(core, Space::kBufferB, p.type),
               c = buffer_of(core, Space::kAccumulator, accumulator_type(p.type));
    if (!a || !b || !c || hardware_.core_of(core).matmul.rate[static_cast<int>(p.type)] <= 0) return;
    const auto m = extents(kMatmulDims, 12), n = extents(kMatmulDims, 12), k = extents(kMatmulDims, 20);
    p.accumulate = between(0, 1) == 0;
    p.a_stationary = hardware_.core_of(core).matmul.dataflow == Dataflow::kWeightStationary && between(0, 1) == 0;
    double most = slots_[*a].most * slots_[*b].most * static_cast<double>(k[0] * k[1] * k[2]);
    if (p.accumulate) most += slots_[*c].most;
    const auto joined = [](std::vector<std::int64_t> rows, const std::vector<std::int64_t>& columns) {
      rows.insert(rows.end(), columns.begin(), columns.end());
      return rows;
    };
    const auto from_a = walk(*a, joined(m, k), false), from_b = walk(*b, joined(k, n), false),
               to = walk(*c, joined(m, n), true);
    if (!from_a || !from_b || !to || most > limit_of(accumulator_type(p.type))) return;
    p.m = last_dims<kMatmulDims>(m, 1), p.n = last_dims<kMatmulDims>(n, 1), p.k = last_dims<kMatmulDims>(k, 1);
    p.a = sides(*from_a), p.b = sides(*from_b), p.c = sides(*to);
    slots_[*c].most = std::max(slots_[*c].most, most);
    work(core, {Unit::kMatmul, 1, {}, {}, p}, {*from_a, *from_b, *to}, *to);
  }
  MatmulOperand sides(const Walk& walk) const {
    MatmulOperand result{slots_[walk.slot].space, walk.address, {}, {}};
    std::copy_n(walk.stride.begin(), kMatmulDims, result.row_stride.begin());
    std::copy_n(walk.stride.begin() + kMatmulDims, kMatmulDims, result.column_stride.begin());
    return result;
  }

  // Operations whose results on whole numbers are whole.
  void vector(int core) {
    using enum VectorOp;
    Vector v{.op = one_of<VectorOp>({kCopy,      kAdd,       kSub,         kMul,           kMax,           kMin,
                                     kRelu,      kNegate,    kClip,        kFloor,         kTruncate,      kRound,
                                     kEqual,     kLess,      kWhere,       kQuantize,      kDequantize,    kRequantize,
                                     kReduceAdd, kReduceMax, kMultiplyAdd, kDequantizeLow, kDequantizeHigh})};
    const auto a = buffer_with(core, {}, {}), b = buffer_with(core, {}, {}), to = buffer_of(core, {}, {});
    if (!a || !b || !to || *a == *to || *b == *to) return;
    if (takes_halves(v.op) && slots_[*a].type != DataType::kInt8) return;
    const auto shape = extents(static_cast<std::size_t>(between(1, kBoxDims)), 60);
    std::vector<bool> still(shape.size());
    if (is_reduction(v.op))
      for (std::size_t d = 0; d < shape.size(); ++d) still[d] = between(0, 1) == 0;
    v.accumulate = is_reduction(v.op) && between(0, 1) == 0;
    v.b_is_immediate = is_binary(v.op) && (has_zero_point(v.op) || between(0, 2) == 0);
    if (v.b_is_immediate) v.immediate = has_zero_point(v.op) ? one_of<double>({0.5, 1, 2}) : double(between(-3, 3));
    if (has_zero_point(v.op)) v.immediate2 = static_cast<double>(between(-3, 3));
    if (v.op == kClip) v.immediate = -2, v.immediate2 = 3;
    const auto from_a = walk(*a, shape, false), from_b = walk(*b, shape, false), target = walk(*to, shape, true, still);
    if (!from_a || !from_b || !target) return;
    std::int64_t terms = 1;
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (still[d] || shape[d] == 1) terms *= shape[d];
    const double most = most_of(v, slots_[*a].most, slots_[*b].most, slots_[*to].most, static_cast<double>(terms));
    if (most > limit_of(slots_[*to].type) || slots_[*a].most > 1 << 24) return;
    slots_[*to].most = std::max(slots_[*to].most, most);
    std::vector<Walk> reads{*from_a};
    v.shape = last_dims<kBoxDims>(shape, 1);
    v.a = operand(*from_a), v.target = operand(*target);
    if (is_binary(v.op) && !v.b_is_immediate) v.b = operand(*from_b), reads.push_back(*from_b);
    if (v.accumulate) reads.push_back(*target);
    work(core, {Unit::kVector, 1, {}, {}, v}, reads, *target);
  }
  static double most_of(const Vector& v, double a, double b, double there, double terms) {
    using enum VectorOp;
    if (v.b_is_immediate) b = std::abs(v.immediate);
    const double kept = v.accumulate ? there : 0, zero = std::abs(v.immediate2);
    switch (v.op) {
      case kAdd:
      case kSub:
        return a + b;
      case kMul:
        return a * b;
      case kMax:
      case kMin:
        return std::max(a, b);
      case kClip:
      case kEqual:
      case kLess:
        return 3;
      case kQuantize:
      case kRequantize:
        return 2 * a + zero;
      case kDequantizeLow:
      case kDequantizeHigh:
        return v.immediate < 1 ? 1e300 : (8 + zero) * b;
      case kDequantize:
        return v.immediate < 1 ? 1e300 : (a + zero) * b;  // halves are no whole numbers
      case kReduceAdd:
        return a * terms + kept;
      case kReduceMax:
        return std::max(a, kept);
      case kMultiplyAdd:
        return a * b * terms + kept;
      default:
        return a;
    }
  }

  const Hardware& hardware_;
  Program program_;
  std::vector<Slot> slots_;
  std::vector<std::vector<Byte>> bytes_;  // by slot
  std::vector<Known> before_;             // by number of the instruction: what surely completed before it begins
  std::vector<Place> places_;
  std::vector<int> last_;      // by stream
  std::map<int, int> tokens_;  // by core
  int flags_ = 0, barriers_ = 0, works_ = 0;
};

// Programs on random chips, each verified, run with values and compared with the interpreter's.
class RandomPrograms : public RandomDraws {
 public:
  RandomPrograms(std::uint64_t seed, int chips) : RandomDraws(seed) {
    RandomChips drawn(seed);
    for (int i = 0; i < chips; ++i) sessions_.push_back(std::make_unique<Session>(drawn.next()));
  }

  void run(int cases) {
    for (int i = 0; i < cases && !testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(fmt::format("program {}", i));
      run_case(*sessions_[static_cast<std::size_t>(i) % sessions_.size()], i % 4 == 0);
    }
    EXPECT_GT(works_, 5 * cases);
    EXPECT_GT(orders_, 2 * cases);
    EXPECT_GT(numbers_, 5 * cases) << "hardly any result is not zero";
    std::printf("%lld instructions that work, %lld that order them, %lld results other than zero\n",
                static_cast<long long>(works_), static_cast<long long>(orders_), static_cast<long long>(numbers_));
  }

 private:
  void run_case(Session& session, bool timed) {
    RandomProgram random(session.hardware(), random_());
    random.grow(static_cast<int>(between(10, 69)));
    works_ += random.works(), orders_ += random.orders();
    const RunOptions options = random.options();
    const std::vector<Violation> violations = find_violations(random.program(), session.hardware());
    ASSERT_TRUE(violations.empty()) << violations.front().reason << "\n" << print_program(random.program());
    const RunResult result = session.run(random.program(), options);
    Interpreter expected(random.program(), session.hardware());
    for (const SegmentData& segment : options.initial) expected.segment(segment.segment) = segment.bytes;
    expected.run();
    for (const SegmentData& kept : result.kept) compare(random.program(), kept, expected.segment(kept.segment));
    if (!timed) return;
    EXPECT_EQ(session.run(random.program()).time, result.time) << "values change the time";
  }

  // By value: the sign of a zero is the order's of a sum.
  void compare(const Program& program, const SegmentData& kept, const std::vector<std::byte>& expected) {
    const auto segment = std::ranges::find(program.segments, kept.segment, &Segment::name);
    ASSERT_EQ(kept.bytes.size(), expected.size());
    const auto element = static_cast<std::size_t>(bytes_of(segment->type));
    for (std::size_t at = 0; at < expected.size(); at += element) {
      const double value = load_element(kept.bytes.data() + at, segment->type);
      numbers_ += value != 0;
      ASSERT_EQ(value, load_element(expected.data() + at, segment->type)) << kept.segment << " at " << at << "\n"
                                                                          << print_program(program);
    }
  }

  std::vector<std::unique_ptr<Session>> sessions_;
  std::int64_t works_ = 0, orders_ = 0, numbers_ = 0;
};

}  // namespace tilewright::test
