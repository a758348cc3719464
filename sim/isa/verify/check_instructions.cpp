#include <algorithm>
#include <limits>

#include "sim/base/stop.h"
#include "sim/base/text_list.h"
#include "sim/isa/binary.h"
#include "sim/isa/operand.h"
#include "sim/isa/program.h"
#include "sim/isa/request_splitter.h"
#include "sim/isa/verify/memories.h"
#include "sim/isa/verify/violations.h"

namespace tilewright {

namespace {

constexpr int kMaxFlags = 65536;

using Spaces = unsigned;  // one bit per space
constexpr Spaces bit(Space space) { return 1u << static_cast<int>(space); }
constexpr Spaces kMemories = bit(Space::kDram) | bit(Space::kCluster);
constexpr Spaces kBuffers = bit(Space::kBufferA) | bit(Space::kBufferB) | bit(Space::kAccumulator);

std::string names_of(Spaces spaces) {
  std::string names;
  for (int i = 0; i < kSpaceCount; ++i)
    if (spaces >> i & 1) append_item(names, "|", name_of(static_cast<Space>(i)));
  return names;
}

// Every check returns what is wrong, empty when nothing is.
std::string space_fault(std::string_view role, Space space, Spaces allowed) {
  if (allowed & bit(space)) return {};
  return fmt::format("{} is in {}, expected {}", role, name_of(space), names_of(allowed));
}

// As of a tensor.
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

template <std::size_t N>
std::string extent_fault(std::string_view name, const std::array<std::int64_t, N>& extents) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : extents) {
    if (extent < 1) return fmt::format("{} has an extent of {}, at least 1 is expected", name, extent);
    if (extent > kMostElements / elements)
      return fmt::format("the extents of {} multiply to more than {}", name, kMostElements);
    elements *= extent;
  }
  return {};
}

std::string unit_fault(Unit unit, Unit expected) {
  if (unit == expected) return {};
  return fmt::format("it runs in the {} stream, expected {}", name_of(unit), name_of(expected));
}

std::string first_of(std::initializer_list<std::string> faults) {
  for (const std::string& fault : faults) {
    if (!fault.empty()) return fault;
  }
  return {};
}

std::string pad_fault(const Transfer& t) {
  const bool pads = t.pad_low != Extents{} || t.pad_high != Extents{};
  if (pads && t.kind != TransferKind::kLoad) return "only a load may pad";
  for (int d = 0; d < kBoxDims; ++d) {
    if (t.pad_low[d] < 0 || t.pad_high[d] < 0 || t.pad_low[d] > t.shape[d] ||
        t.pad_high[d] > t.shape[d] - t.pad_low[d]) {
      return fmt::format("padding {}:{} does not fit an extent of {}", t.pad_low[d], t.pad_high[d], t.shape[d]);
    }
  }
  if (t.cached && (t.kind != TransferKind::kLoad || t.source.space != Space::kDram)) {
    return "only a load from dram may be cached";
  }
  return {};
}

std::string transfer_unit_fault(const Instruction& instruction, TransferKind kind) {
  const Unit unit = instruction.unit;
  if (kind == TransferKind::kLoad) return unit_fault(unit, Unit::kLoad);
  if (kind == TransferKind::kStore) return unit_fault(unit, Unit::kStore);
  if (unit == Unit::kLoad || unit == Unit::kStore) return {};
  return fmt::format("it runs in the {} stream, expected load or store", name_of(unit));
}

// Everything that others own is memory to this core.
std::string box_fault(std::string_view role, const Box& box, bool memory) {
  if (box.owner == kOwnMemory) return space_fault(role, box.space, memory ? kMemories : kBuffers);
  if (memory) return {};
  return fmt::format("{} is in {}, expected a buffer of its own", role, place_name(box.space, box.owner));
}

// Numbers rise, and no more of them than the chip has cores.
std::string sum_fault(const Transfer& t, int cores) {
  const Owners& of = t.summed;
  if (of == Owners{}) return {};
  for (int d = 0; d < kOwnerDims; ++d)
    if (of.count[d] < 1 || (of.count[d] > 1) != (of.step[d] > 0))
      return fmt::format("a sum of {} memories {} apart", of.count[d], of.step[d]);
  if (of.size() > cores) return fmt::format("a sum of {} memories, the chip has {} cores", of.size(), cores);
  if (of.count[0] > 1 && of.step[0] < of.step[1] * std::int64_t{of.count[1]})
    return fmt::format("the memories of a sum are not in rising order: steps of {} and {}", of.step[0], of.step[1]);
  if (t.kind != TransferKind::kLoad || t.source.space == Space::kDram || t.source.owner == kOwnMemory)
    return "only a load from memories of cores or clusters, by number, may sum";
  if (t.type != DataType::kFp32 && t.type != DataType::kInt32)
    return fmt::format("a sum of {}, expected fp32 or int32", name_of(t.type));
  return unpadded(t) == t.shape ? "" : "a sum may not pad";
}

std::string payload_fault(const Instruction& instruction, const Transfer& t, int cores) {
  return first_of({transfer_unit_fault(instruction, t.kind), extent_fault("the shape", t.shape), pad_fault(t),
                   sum_fault(t, cores), box_fault("source", t.source, t.kind != TransferKind::kStore),
                   box_fault("target", t.target, t.kind != TransferKind::kLoad)});
}

std::string zeros_fault(const Matmul& mm) {
  double k = 1;  // of extents that nobody has checked
  for (const std::int64_t extent : mm.k) k *= static_cast<double>(extent);
  const bool fits = mm.zeros >= 0 && static_cast<double>(mm.zeros) < k;
  return fits ? "" : fmt::format("{} zeros in rows of {:.0f} elements", mm.zeros, k);
}

std::string payload_fault(const Instruction& instruction, const Matmul& mm, int) {
  return first_of(
      {unit_fault(instruction.unit, Unit::kMatmul), extent_fault("m", mm.m), extent_fault("n", mm.n),
       extent_fault("k", mm.k), zeros_fault(mm), mm.type == DataType::kInt32 ? "a matmul cannot read int32" : "",
       space_fault("a", mm.a.space, bit(Space::kBufferA)), space_fault("b", mm.b.space, bit(Space::kBufferB)),
       space_fault("c", mm.c.space, bit(Space::kAccumulator))});
}

std::string payload_fault(const Instruction& instruction, const Vector& v, int) {
  const bool reads_b = is_binary(v.op) && !v.b_is_immediate;
  return first_of({unit_fault(instruction.unit, Unit::kVector), extent_fault("the shape", v.shape),
                   space_fault("a", v.a.space, kBuffers), reads_b ? space_fault("b", v.b.space, kBuffers) : "",
                   space_fault("target", v.target.space, kBuffers),
                   takes_halves(v.op) && v.a.type != DataType::kInt8
                       ? fmt::format("a is {}, expected int8 with two numbers in each", name_of(v.a.type))
                       : "",
                   v.accumulate && !is_reduction(v.op) ? "only a reduction may accumulate" : ""});
}

std::string flag_fault(int flag) {
  if (flag >= 0 && flag < kMaxFlags) return {};
  return fmt::format("flag {} is not from 0 to {}", flag, kMaxFlags - 1);
}

std::string payload_fault(const Instruction&, const Signal& s, int cores) {
  if (s.core < 0 || s.core >= cores) return fmt::format("it signals core {}, the chip has {}", s.core, cores);
  return flag_fault(s.flag);
}

std::string payload_fault(const Instruction&, const Wait& w, int) {
  if (w.count < 1) return fmt::format("it waits for {} signals, at least 1 is expected", w.count);
  return flag_fault(w.flag);
}

std::string payload_fault(const Instruction&, const Barrier& b, int cores) {
  if (b.participants >= 1 && b.participants <= cores) return {};
  return fmt::format("barrier {} has {} participants, expected 1 to {}", b.id, b.participants, cores);
}

// Checks the instructions of a program one by one.
class InstructionCheck {
 public:
  InstructionCheck(const Program& program, const Hardware& hardware)
      : program_(program), hardware_(hardware), segments_(program) {}

  // Of an instruction of `core`.
  std::string fault(const Instruction& instruction, int core) const {
    if (instruction.op >= program_.operators.size()) {
      return fmt::format("operator {} is not among the {} of the program", instruction.op, program_.operators.size());
    }
    std::string fault =
        std::visit([&](const auto& payload) { return payload_fault(instruction, payload, hardware_.cores()); },
                   instruction.payload);
    const auto* transfer = std::get_if<Transfer>(&instruction.payload);
    const bool sums = transfer && transfer->sums();
    if (fault.empty()) fault = first_of({rate_fault(instruction, core), sums ? adder_fault() : ""});
    if (!fault.empty()) return fault;
    for (const Operand& operand : operands_of(instruction)) {
      fault = operand_fault(operand, core, sums);
      if (!fault.empty()) return fault;
    }
    return {};
  }

  std::string fetch_fault(const CoreProgram& core) const {
    const Bytes size = encoded_size(core);
    if (core.fetch_address < 0) return fmt::format("the core fetches from {}", core.fetch_address);
    const bool ends = core.fetch_address <= std::numeric_limits<Address>::max() - size;
    const int segment = ends ? segments_.find(core.fetch_address, core.fetch_address + size) : -1;
    if (segment >= 0 && segments_[segment].kind == SegmentKind::kInstructions) return {};
    return fmt::format("the core fetches {} bytes at {:#x}, which lie in no instructions segment", size,
                       core.fetch_address);
  }

 private:
  // A rate of 0 says that the chip's array has no multipliers for the type.
  std::string rate_fault(const Instruction& instruction, int core) const {
    const auto* matmul = std::get_if<Matmul>(&instruction.payload);
    if (!matmul || hardware_.core_of(core).matmul.rate[static_cast<int>(matmul->type)] > 0) return {};
    return fmt::format("the matmul unit of '{}' does not multiply {}", hardware_.name, name_of(matmul->type));
  }

  std::string adder_fault() const {
    if (hardware_.network.reduction > 0) return {};
    return fmt::format("the network of '{}' adds nothing (network.reduction)", hardware_.name);
  }

  // `sums`: the core's own memory may be one of several.
  std::string operand_fault(const Operand& operand, int core, bool sums) const {
    Address end = 0;
    std::string fault = first_of({owner_fault(operand, core, sums), walk_fault(operand, end)});
    if (!fault.empty()) return fault;
    fault = operand.space == Space::kDram ? segment_fault(operand, end) : capacity_fault(operand, end, core);
    if (!fault.empty()) return fault;
    if (operand.write && overlaps_itself(operand.element, operand.repeats, operand.dims)) {
      return fmt::format("{} writes a place twice: its strides overlap", operand.role);
    }
    return {};
  }

  // What belongs to others has a number of theirs.
  std::string owner_fault(const Operand& operand, int core, bool sums) const {
    if (operand.owner == kOwnMemory) return {};
    if (operand.space == Space::kDram) return fmt::format("{} is in dram, which belongs to nobody", operand.role);
    const bool cluster = operand.space == Space::kCluster;
    const std::string_view kind = cluster ? "cluster" : "core";
    const int own = cluster ? hardware_.cluster_of(core) : core,
              count = cluster ? hardware_.clusters : hardware_.cores();
    if (operand.owner == own && !sums)
      return fmt::format("{} is in {}, which is its own: written without the number", operand.role,
                         place_name(operand.space, own));
    if (operand.owner >= 0 && operand.owner < count) return {};
    return fmt::format("{} is in {}, the chip has {} {}s", operand.role, place_name(operand.space, operand.owner),
                       count, kind);
  }

  // Alignment and strides; `end` is one past the last byte.
  std::string walk_fault(const Operand& operand, Address& end) const {
    if (operand.address < 0) return fmt::format("{} has the negative address {}", operand.role, operand.address);
    if (operand.address % operand.element != 0) {
      return fmt::format("{} at {:#x} is not aligned to its element of {} bytes", operand.role, operand.address,
                         operand.element);
    }
    bool overflow = __builtin_add_overflow(operand.address, operand.element, &end);
    for (int d = 0; d < operand.dims; ++d) {
      const auto [count, stride] = operand.repeats[d];
      if (stride < 0) return fmt::format("{} has the negative stride {}", operand.role, stride);
      if (stride % operand.element != 0) {
        return fmt::format("{}: stride {} is not a multiple of its element of {} bytes", operand.role, stride,
                           operand.element);
      }
      Bytes step = 0;
      overflow |= __builtin_mul_overflow(stride, count - 1, &step) || __builtin_add_overflow(end, step, &end);
    }
    return overflow ? fmt::format("{} reaches past every address", operand.role) : std::string();
  }

  std::string capacity_fault(const Operand& operand, Address end, int core) const {
    const Bytes capacity = capacity_of(hardware_, operand.space, owner_of(hardware_, operand, core));
    if (end <= capacity) return {};
    return fmt::format("{} reaches byte {} of {}, which has {} bytes", operand.role, end,
                       place_name(operand.space, operand.owner), capacity);
  }

  std::string segment_fault(const Operand& operand, Address end) const {
    const int index = segments_.find(operand.address, end);
    if (index < 0) {
      return fmt::format("{} [{:#x}, {:#x}) in dram lies in no segment", operand.role, operand.address, end);
    }
    const Segment& segment = segments_[index];
    if (operand.write && !may_be_written(segment.kind)) {
      return fmt::format("{} writes the {} segment '{}'", operand.role, name_of(segment.kind), segment.name);
    }
    if (segment.kind == SegmentKind::kInstructions) {
      return fmt::format("{} reads the instructions segment '{}'", operand.role, segment.name);
    }
    return {};
  }

  const Program& program_;
  const Hardware& hardware_;
  SegmentTable segments_;
};

void check_core(const InstructionCheck& check, const CoreProgram& core, int index, Violations& violations) {
  if (core.instructions.empty()) return;
  for (std::size_t i = 0; i < core.instructions.size() && !violations.full(); ++i) {
    check_stop();
    std::string fault = check.fault(core.instructions[i], index);
    if (!fault.empty()) violations.add(index, static_cast<int>(i), std::move(fault));
  }
  std::string fault = check.fetch_fault(core);
  if (!fault.empty()) violations.add(index, -1, std::move(fault));
}

}  // namespace

void check_instructions(const Program& program, const Hardware& hardware, Violations& violations) {
  if (static_cast<int>(program.cores.size()) > hardware.cores()) {
    violations.add(-1, -1,
                   fmt::format("the program is for {} cores, the chip has {}", program.cores.size(), hardware.cores()));
    return;
  }
  const InstructionCheck check(program, hardware);
  for (std::size_t core = 0; core < program.cores.size() && !violations.full(); ++core) {
    check_core(check, program.cores[core], static_cast<int>(core), violations);
  }
}

}  // namespace tilewright
