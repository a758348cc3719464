#include "tests/support/interpreter/interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sim/base/error.h"

namespace tilewright::test {
namespace {

bool is_barrier(const Payload& payload) {
  const auto* barrier = std::get_if<Barrier>(&payload);
  return barrier != nullptr && barrier->participants > 1;
}

template <std::size_t N, typename Visit>
void for_each(const std::array<std::int64_t, N>& shape, Visit visit) {
  std::array<std::int64_t, N> index{};
  for (;;) {
    visit(index);
    std::size_t d = N;
    while (d-- > 0) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
      if (d == 0) return;
    }
  }
}

template <std::size_t N>
Address dot(const std::array<std::int64_t, N>& index, const std::array<std::int64_t, N>& stride) {
  Address sum = 0;
  for (std::size_t d = 0; d < N; ++d) sum += index[d] * stride[d];
  return sum;
}

double level(float steps, double zero_point) { return std::clamp(std::nearbyint(steps) + zero_point, -128.0, 127.0); }

double apply(const Vector& v, double a, double b) {
  switch (v.op) {
    case VectorOp::kCopy:
      return a;
    case VectorOp::kAdd:
      return a + b;
    case VectorOp::kSub:
      return a - b;
    case VectorOp::kMul:
      return a * b;
    case VectorOp::kDiv:
      return v.a.type == DataType::kInt32 && v.target.type == DataType::kInt32 ? std::trunc(a / b) : a / b;
    case VectorOp::kMax:
      return std::max(a, b);
    case VectorOp::kMin:
      return std::min(a, b);
    case VectorOp::kPow:
      return std::pow(a, b);
    case VectorOp::kRelu:
      return std::max(a, 0.0);
    case VectorOp::kGelu:
      return 0.5 * a * (1 + std::erf(a / std::sqrt(2.0)));
    case VectorOp::kGeluTanh:
      return 0.5 * a * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (a + 0.044715 * std::pow(a, 3))));
    case VectorOp::kErf:
      return std::erf(a);
    case VectorOp::kTanh:
      return std::tanh(a);
    case VectorOp::kSigmoid:
      return 1 / (1 + std::exp(-a));
    case VectorOp::kSilu:
      return a / (1 + std::exp(-a));
    case VectorOp::kExp:
      return std::exp(a);
    case VectorOp::kSqrt:
      return std::sqrt(a);
    case VectorOp::kRsqrt:
      return 1 / std::sqrt(a);
    case VectorOp::kReciprocal:
      return 1 / a;
    case VectorOp::kNegate:
      return -a;
    case VectorOp::kClip:
      return std::max(std::min(a, v.immediate2), v.immediate);
    case VectorOp::kLog:
      return std::log(a);
    case VectorOp::kSin:
      return std::sin(a);
    case VectorOp::kCos:
      return std::cos(a);
    case VectorOp::kAtan:
      return std::atan(a);
    case VectorOp::kFloor:
      return std::floor(a);
    case VectorOp::kTruncate:
      return std::trunc(a);
    case VectorOp::kRound:
      return std::nearbyint(a);
    case VectorOp::kEqual:
      return a == b;
    case VectorOp::kLess:
      return a < b;
    case VectorOp::kWhere:
      return b != 0 ? a : 0;
    case VectorOp::kQuantize:
      return level(static_cast<float>(a) / static_cast<float>(b), v.immediate2);
    case VectorOp::kDequantize:
      return static_cast<float>(a - v.immediate2) * static_cast<float>(b);
    case VectorOp::kDequantizeLow:
      return static_cast<float>(((static_cast<int>(a) & 15) ^ 8) - 8 - v.immediate2) * static_cast<float>(b);
    case VectorOp::kDequantizeHigh:
      return static_cast<float>((static_cast<int>(a) >> 4) - v.immediate2) * static_cast<float>(b);
    case VectorOp::kRequantize:
      return level(static_cast<float>(a) * static_cast<float>(b), v.immediate2);
    case VectorOp::kReduceAdd:
    case VectorOp::kReduceMax:
    case VectorOp::kMultiplyAdd:
      break;
  }
  throw InternalError("not of one element");
}

}  // namespace

Interpreter::Interpreter(const Program& program, const Hardware& hardware) : program_(program) {
  for (int core = 0; core < hardware.cores(); ++core) {
    const CoreSpec& spec = hardware.core_of(core);
    memory_.push_back(
        Memories{Memory{}, Memory{}, Memory(spec.buffer_a), Memory(spec.buffer_b), Memory(spec.accumulator)});
  }
  for (int core = 0; core < hardware.cores(); ++core) cluster_of_.push_back(hardware.cluster_of(core));
  for (int cluster = 0; cluster < hardware.clusters; ++cluster) {
    const auto& shared = hardware.memory_of(cluster);
    clusters_.emplace_back(shared ? shared->addressed_capacity() : 0);
  }
  for (const Segment& segment : program.segments) dram_[segment.address].resize(segment.bytes);
}

std::vector<std::byte>& Interpreter::segment(const std::string& name) {
  for (const Segment& s : program_.segments)
    if (s.name == name) return dram_.at(s.address);
  throw InternalError("no segment " + name);
}

void Interpreter::run() {
  next_.assign(program_.cores.size(), 0);
  flags_.assign(program_.cores.size(), {});
  do {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t core = 0; core < next_.size(); ++core) moved |= advance(static_cast<int>(core));
    }
  } while (pass_barriers());
  for (std::size_t core = 0; core < next_.size(); ++core)
    SIM_CHECK(next_[core] == program_.cores[core].instructions.size(), "core {} is stuck at instruction {}", core,
              next_[core]);
}

// Up to the next barrier of the chip or wait for a flag that is not set; whether anything was done.
bool Interpreter::advance(int core) {
  const auto& instructions = program_.cores[core].instructions;
  const std::size_t before = next_[core];
  for (; next_[core] < instructions.size(); ++next_[core]) {
    const Payload& payload = instructions[next_[core]].payload;
    if (is_barrier(payload)) break;
    if (const auto* wait = std::get_if<Wait>(&payload)) {
      int& set = flags_[core][wait->flag];
      if (set < wait->count) break;
      set -= wait->count;
    }
    if (const auto* signal = std::get_if<Signal>(&payload)) ++flags_[signal->core][signal->flag];
    execute(core, payload);
  }
  return next_[core] != before;
}

void Interpreter::execute(int core, const Payload& payload) {
  if (const auto* t = std::get_if<Transfer>(&payload)) transfer(core, *t);
  if (const auto* m = std::get_if<Matmul>(&payload)) matmul(core, *m);
  if (const auto* v = std::get_if<Vector>(&payload)) vector(core, *v);
}

// All programs under test have the same barriers on every core that does anything.
bool Interpreter::pass_barriers() {
  bool passed = false;
  for (std::size_t core = 0; core < next_.size(); ++core) {
    const auto& instructions = program_.cores[core].instructions;
    if (next_[core] == instructions.size() || !is_barrier(instructions[next_[core]].payload)) continue;
    ++next_[core];
    passed = true;
  }
  return passed;
}

std::byte* Interpreter::at(int core, Space space, Address address, int bytes, int owner) {
  if (space != Space::kDram) {
    auto& memory = space == Space::kCluster ? clusters_.at(owner == kOwnMemory ? cluster_of_[core] : owner)
                                            : memory_[owner == kOwnMemory ? core : owner][static_cast<int>(space)];
    SIM_CHECK(address >= 0 && address + bytes <= std::ssize(memory), "{} outside {}", address, name_of(space));
    return memory.data() + address;
  }
  auto it = dram_.upper_bound(address);
  SIM_CHECK(it != dram_.begin(), "no segment at {}", address);
  --it;
  SIM_CHECK(address + bytes <= it->first + std::ssize(it->second), "{} outside every segment", address);
  return it->second.data() + (address - it->first);
}

double Interpreter::sum_of(const Transfer& t, Address address) {
  double sum = 0;
  t.summed.for_each(t.source.owner, [&](int owner) {
    sum += load_element(at(owner, t.source.space, address, bytes_of(t.type), owner), t.type);
    std::byte rounded[8];
    store_element(rounded, t.type, sum);
    sum = load_element(rounded, t.type);
  });
  return sum;
}

void Interpreter::transfer(int core, const Transfer& t) {
  const int bytes = bytes_of(t.type);
  for_each(t.shape, [&](const Extents& i) {
    std::byte* target = at(core, t.target.space, t.target.address + dot(i, t.target.stride), bytes, t.target.owner);
    Extents from = i;
    bool padded = false;
    for (int d = 0; d < kBoxDims; ++d) {
      from[d] -= t.pad_low[d];
      padded |= from[d] < 0 || i[d] >= t.shape[d] - t.pad_high[d];
    }
    if (padded)
      store_element(target, t.type, t.pad_value);
    else if (t.sums())
      store_element(target, t.type, sum_of(t, t.source.address + dot(from, t.source.stride)));
    else
      std::memcpy(target,
                  at(core, t.source.space, t.source.address + dot(from, t.source.stride), bytes, t.source.owner),
                  bytes);
  });
}

double Interpreter::element(int core, const MatmulOperand& o, const MatmulExtents& row, const MatmulExtents& column,
                            DataType type) {
  return load_element(
      at(core, o.space, o.address + dot(row, o.row_stride) + dot(column, o.column_stride), bytes_of(type)), type);
}

void Interpreter::matmul(int core, const Matmul& m) {
  const DataType acc = accumulator_type(m.type);
  for_each(m.m, [&](const MatmulExtents& i) {
    for_each(m.n, [&](const MatmulExtents& j) {
      std::byte* c =
          at(core, m.c.space, m.c.address + dot(i, m.c.row_stride) + dot(j, m.c.column_stride), bytes_of(acc));
      double sum = m.accumulate ? load_element(c, acc) : 0;
      std::int64_t left_out = 0;  // of as many zeros as the instruction promises
      for_each(m.k, [&](const MatmulExtents& k) {
        const double a = element(core, m.a, i, k, m.type);
        if (a == 0 && left_out < m.zeros) {
          ++left_out;
          return;
        }
        sum += a * element(core, m.b, k, j, m.type);
        ++macs_;
      });
      SIM_CHECK(left_out == m.zeros, "{} zeros in a row of A, promised are {}", left_out, m.zeros);
      store_element(c, acc, sum);
    });
  });
}

double Interpreter::read(int core, const VectorOperand& o, const Extents& i) {
  return load_element(at(core, o.space, o.address + dot(i, o.stride), bytes_of(o.type)), o.type);
}

void Interpreter::vector(int core, const Vector& v) {
  if (is_reduction(v.op)) return reduce(core, v);
  std::vector<std::pair<std::byte*, double>> results;  // the whole effect at one moment
  for_each(v.shape, [&](const Extents& i) {
    const double b = v.b_is_immediate || !is_binary(v.op) ? v.immediate : read(core, v.b, i);
    results.push_back({at(core, v.target.space, v.target.address + dot(i, v.target.stride), bytes_of(v.target.type)),
                       apply(v, read(core, v.a, i), b)});
  });
  for (const auto& [place, value] : results) store_element(place, v.target.type, value);
}

void Interpreter::reduce(int core, const Vector& v) {
  std::map<Address, double> sums;
  for_each(v.shape, [&](const Extents& i) {
    double a = read(core, v.a, i);
    if (v.op == VectorOp::kMultiplyAdd) a *= v.b_is_immediate ? v.immediate : read(core, v.b, i), ++macs_;
    const Address target = v.target.address + dot(i, v.target.stride);
    auto it = sums.find(target);
    if (it == sums.end()) {
      const double first =
          v.accumulate ? load_element(at(core, v.target.space, target, bytes_of(v.target.type)), v.target.type) : a;
      it = sums.emplace(target, first).first;
      if (!v.accumulate) return;
    }
    it->second = v.op == VectorOp::kReduceMax ? std::max(it->second, a) : it->second + a;
  });
  for (const auto& [address, value] : sums)
    store_element(at(core, v.target.space, address, bytes_of(v.target.type)), v.target.type, value);
}

}  // namespace tilewright::test
