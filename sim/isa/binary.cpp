#include "sim/isa/binary.h"

#include <limits>

#include "sim/base/hash.h"
#include "sim/isa/binary_instruction.h"

namespace tilewright {

namespace {

constexpr std::uint64_t kMagic = 0x0042'5754;  // "TWB\0"
constexpr int kVersion = 1;

void write_text(ByteWriter& out, const std::string& text) {
  out.put(text.size(), 4);
  for (const char c : text) out.put(static_cast<unsigned char>(c), 1);
}

void write_segment(ByteWriter& out, const Segment& segment) {
  write_text(out, segment.name);
  out.put(static_cast<std::uint64_t>(segment.kind), 1);
  out.put(static_cast<std::uint64_t>(segment.type), 1);
  out.put(static_cast<std::uint64_t>(segment.address), 8);
  out.put(static_cast<std::uint64_t>(segment.bytes), 8);
}

std::string read_text(ByteReader& in) {
  const std::uint64_t size = in.get(4);
  in.need(size);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(in.get(1));
  return text;
}

Segment read_segment(ByteReader& in) {
  Segment segment;
  segment.name = read_text(in);
  segment.kind = static_cast<SegmentKind>(in.get_below(1, kSegmentKindCount, "kind of segment"));
  segment.type = static_cast<DataType>(in.get_below(1, kDataTypeCount, "data type"));
  segment.address = static_cast<Address>(in.get(8));
  segment.bytes = static_cast<Bytes>(in.get(8));
  return segment;
}

CoreProgram read_core(ByteReader& in) {
  CoreProgram core;
  core.fetch_address = static_cast<Address>(in.get(8));
  const std::uint64_t count = in.get(4);
  in.need(count * 8);  // no instruction is shorter: a false count cannot reserve memory
  core.instructions.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) core.instructions.push_back(read_instruction(in));
  return core;
}

// A list behind its 32-bit length; `smallest` is the fewest bytes one entry takes.
template <typename T, typename Read>
std::vector<T> read_list(ByteReader& in, int smallest, Read read) {
  const std::uint64_t count = in.get(4);
  in.need(count * smallest);
  std::vector<T> list;
  list.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) list.push_back(read(in));
  return list;
}

void check_magic(ByteReader& in) {
  in.need(8);
  if (in.get(4) != kMagic) in.fail("not a binary program: the file does not open with 'TWB'");
  const std::uint64_t version = in.get(4);
  if (version != kVersion)
    in.fail(fmt::format("version {} of the format, this program reads version {}", version, kVersion));
}

}  // namespace

Bytes encoded_size(const Instruction& instruction) {
  ByteCounter counter;
  write_instruction(counter, instruction);
  return counter.offset();
}

Bytes encoded_size(const CoreProgram& core) {
  ByteCounter counter;
  for (const Instruction& instruction : core.instructions) write_instruction(counter, instruction);
  return counter.offset();
}

std::vector<std::byte> encode(const Program& program) {
  ByteWriter out;
  out.put(kMagic, 4);
  out.put(kVersion, 4);
  write_text(out, program.name);
  out.put(program.operators.size(), 4);
  for (const std::string& name : program.operators) write_text(out, name);
  out.put(program.segments.size(), 4);
  for (const Segment& segment : program.segments) write_segment(out, segment);
  out.put(program.cores.size(), 4);
  for (const CoreProgram& core : program.cores) {
    out.put(static_cast<std::uint64_t>(core.fetch_address), 8);
    out.put(core.instructions.size(), 4);
    for (const Instruction& instruction : core.instructions) write_instruction(out, instruction);
  }
  return out.take();
}

Program decode(const std::vector<std::byte>& bytes, const std::string& source) {
  ByteReader in(bytes, source);
  check_magic(in);
  Program program;
  program.name = read_text(in);
  program.operators = read_list<std::string>(in, 4, read_text);
  program.segments = read_list<Segment>(in, 22, read_segment);
  program.cores = read_list<CoreProgram>(in, 12, read_core);
  if (in.offset() != static_cast<Bytes>(bytes.size())) in.fail("bytes follow the end of the program");
  return program;
}

bool is_binary_program(const std::byte* bytes, std::size_t count) {
  if (count < 4) return false;
  std::uint64_t magic = 0;
  for (int i = 0; i < 4; ++i) magic |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  return magic == kMagic;
}

std::uint64_t hash_of(const Program& program) { return fnv1a(encode(program)); }

}  // namespace tilewright
