#include "sim/machine/core/core_buffers.h"

#include "sim/base/error.h"

namespace tilewright {

void Buffer::add_statistics(const std::string& prefix, const RunSpan&, Statistics& statistics) const {
  statistics.add(prefix + ".read_bytes", "bytes", "read by the units", static_cast<double>(state_.read));
  statistics.add(prefix + ".written_bytes", "bytes", "written by the units", static_cast<double>(state_.written));
}

void Buffer::add_probes(Probes& probes) const {
  probes.push_back({"occupied", bits_for(capacity_), [this] { return static_cast<std::uint64_t>(state_.occupied); }});
}

Buffer& CoreBuffers::of(Space space) const {
  switch (space) {
    case Space::kBufferA:
      return a;
    case Space::kBufferB:
      return b;
    case Space::kAccumulator:
      return accumulator;
    case Space::kDram:
    case Space::kCluster:
      break;
  }
  SIM_CHECK(false, "{} is no buffer of a core", name_of(space));
}

void CoreBuffers::read(Space space, int op, Bytes bytes) const {
  of(space).count_read(bytes);
  meter.add(op, space == Space::kAccumulator ? Event::kAccumulatorReadBytes : Event::kBufferReadBytes, bytes);
}

void CoreBuffers::write(Space space, int op, Bytes bytes) const {
  of(space).count_write(bytes);
  meter.add(op, space == Space::kAccumulator ? Event::kAccumulatorWriteBytes : Event::kBufferWriteBytes, bytes);
}

namespace {

constexpr std::array kBuffers{Space::kBufferA, Space::kBufferB, Space::kAccumulator};

bool is_own_buffer(const Operand& operand) { return !is_memory(operand.space, operand.owner); }

// What it writes continues what lay there.
bool accumulates(const Instruction& instruction) {
  const auto* matmul = std::get_if<Matmul>(&instruction.payload);
  const auto* vector = std::get_if<Vector>(&instruction.payload);
  return (matmul && matmul->accumulate) || (vector && vector->accumulate);
}

}  // namespace

BufferWatch::BufferWatch(const CoreProgram& program, const CoreBuffers& buffers)
    : program_(program), buffers_(buffers), changes_(program.instructions.size()) {
  for (std::size_t i = 0; i < program.instructions.size(); ++i) add(i, program.instructions[i]);
  for (const Space space : kBuffers) {
    Pieces& pieces = pieces_[static_cast<int>(space)];
    for (auto piece = pieces.begin(); piece != pieces.end(); ++piece) release(space, piece);
    pieces.clear();
  }
}

void BufferWatch::add(std::size_t index, const Instruction& instruction) {
  const Operands operands = operands_of(instruction);
  for (const Operand& operand : operands) {
    if (!is_own_buffer(operand) || (operand.write && !accumulates(instruction))) continue;
    footprint_of(operand).for_each_run(
        [&](Address low, Bytes bytes) { touch(operand.space, low, low + bytes, index); });
  }
  for (const Operand& operand : operands) {
    if (!is_own_buffer(operand) || !operand.write) continue;
    footprint_of(operand).for_each_run(
        [&](Address low, Bytes bytes) { write(operand.space, low, low + bytes, index); });
  }
}

// Afterwards no piece reaches over `at`.
void BufferWatch::cut(Pieces& pieces, Address at) {
  auto behind = pieces.lower_bound(at);
  if (behind == pieces.begin()) return;
  Piece& piece = std::prev(behind)->second;
  if (piece.end <= at) return;
  pieces.emplace_hint(behind, at, piece);
  piece.end = at;
}

void BufferWatch::touch(Space space, Address low, Address high, std::size_t index) {
  Pieces& pieces = pieces_[static_cast<int>(space)];
  cut(pieces, low);
  cut(pieces, high);
  for (auto piece = pieces.lower_bound(low); piece != pieces.end() && piece->first < high; ++piece)
    piece->second.last = index;
}

// What the instruction itself has read there goes on being in use; the rest is written anew.
void BufferWatch::write(Space space, Address low, Address high, std::size_t index) {
  Pieces& pieces = pieces_[static_cast<int>(space)];
  cut(pieces, low);
  cut(pieces, high);
  Bytes fresh = high - low;
  for (auto piece = pieces.lower_bound(low); piece != pieces.end() && piece->first < high;) {
    if (piece->second.last == index) {
      fresh -= piece->second.end - piece->first;
    } else {
      release(space, piece);
    }
    piece = pieces.erase(piece);
  }
  pieces[low] = {high, index};
  changes_[index].at_start[static_cast<int>(space)] += fresh;
}

void BufferWatch::release(Space space, Pieces::iterator piece) {
  changes_[piece->second.last].at_end[static_cast<int>(space)] += piece->second.end - piece->first;
}

const BufferWatch::Change& BufferWatch::change_of(const Instruction& instruction) const {
  return changes_.at(static_cast<std::size_t>(&instruction - program_.instructions.data()));
}

void BufferWatch::apply(const std::array<Bytes, kSpaceCount>& bytes, int sign) {
  for (const Space space : kBuffers) buffers_.of(space).occupy(sign * bytes[static_cast<int>(space)]);
}

void BufferWatch::started(const Instruction& instruction) { apply(change_of(instruction).at_start, 1); }
void BufferWatch::completed(const Instruction& instruction) { apply(change_of(instruction).at_end, -1); }

}  // namespace tilewright
