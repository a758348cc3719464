#include "planner/emit/communication/program_writer.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

constexpr Bytes kSegmentAlignment = 4096;  // of segments and of each core's instructions: whole bursts of every DRAM

}  // namespace

ProgramWriter::ProgramWriter(const Hardware& hardware, std::string name) : hardware_(hardware) {
  program_.name = std::move(name);
  program_.cores.resize(static_cast<std::size_t>(hardware.cores()));
}

Address ProgramWriter::segment(const std::string& name, SegmentKind kind, DataType type, Bytes bytes) {
  const Address address = end_;
  end_ = round_up(address + bytes, kSegmentAlignment);
  program_.segments.push_back({name, kind, type, address, bytes});
  return address;
}

void ProgramWriter::begin_operator(const std::string& name) {
  op_ = static_cast<std::uint16_t>(program_.operators.size());
  program_.operators.push_back(name);
}

Instruction& ProgramWriter::add(int core, Unit unit, Payload payload) {
  auto& instructions = program_.cores[static_cast<std::size_t>(core)].instructions;
  instructions.push_back({unit, op_, {}, {}, std::move(payload)});
  return instructions.back();
}

Instruction& ProgramWriter::move(int core, TransferKind kind, DataType type, std::int64_t count, const Box& from,
                                 const Box& to) {
  Transfer transfer;
  transfer.kind = kind;
  transfer.type = type;
  transfer.shape = {1, 1, 1, 1, count};
  transfer.source = from;
  transfer.target = to;
  transfer.source.stride = transfer.target.stride = {0, 0, 0, 0, bytes_of(type)};
  return add(core, kind == TransferKind::kStore ? Unit::kStore : Unit::kLoad, transfer);
}

Program ProgramWriter::finish() {
  const Address code = end_;
  Bytes bytes = 0;
  for (CoreProgram& core : program_.cores) {
    if (core.instructions.empty()) continue;
    core.fetch_address = code + bytes;
    bytes = round_up(bytes + encoded_size(core), kSegmentAlignment);
  }
  if (bytes > 0) segment("instructions", SegmentKind::kInstructions, DataType::kInt8, bytes);
  if (end_ > hardware_.dram.region_capacity())
    throw UserError(hardware_.name, fmt::format("{} bytes of data and instructions, a memory region holds {}", end_,
                                                hardware_.dram.region_capacity()));
  return std::move(program_);
}

}  // namespace tilewright
