#include "sim/isa/binary_instruction.h"

#include <algorithm>
#include <initializer_list>

namespace tilewright {

namespace {

// The first seven bytes.
struct Header {
  int kind = 0;   // load, store, copy, matmul, vector, signal, wait, barrier
  int width = 2;  // bytes of an extent or stride: 2, 4 or 8
  int flags = 0;  // four bits, by kind
  int dims = 0;   // matmul: two bits each for m, n, k
  int type = 0;   // data type; vector: operation
};
constexpr int kKinds = 8;
constexpr int kFirstOfPayload[] = {0, 3, 4, 5, 6, 7};

// Flags by kind.
constexpr int kCached = 1, kPadded = 2, kSummed = 4;
constexpr int kAccumulate = 1, kAStationary = 2, kZeros = 4;
constexpr int kImmediateB = 2, kOperandB = 4, kImmediates = 8;
// In the byte of a transfer's operand: the number of its owner follows.
constexpr int kOwned = 8;

// Gathers how many bytes the numbers of an instruction need.
struct Widest {
  int width = 2;
  void number(std::int64_t value) {
    if (value != static_cast<std::int16_t>(value)) width = std::max(width, 4);
    if (value != static_cast<std::int32_t>(value)) width = 8;
  }
  void address(Space space, Address value) {
    if (space != Space::kDram && value != static_cast<std::int32_t>(value)) width = 8;
  }
  void descriptor(Space, DataType) {}
  void descriptor(Space, DataType, int) {}
  void owners(std::uint16_t, std::uint16_t) {}
  void real(double) {}
};

template <typename Out>
struct Writer {
  Out& out;
  int width;
  void number(std::int64_t value) { out.put(static_cast<std::uint64_t>(value), width); }
  void address(Space space, Address value) {
    out.put(static_cast<std::uint64_t>(value), space == Space::kDram || width == 8 ? 8 : 4);
  }
  void descriptor(Space space, DataType type) {
    out.put(static_cast<std::uint64_t>(space) | static_cast<std::uint64_t>(type) << 4, 1);
  }
  void descriptor(Space space, DataType type, int owner) {
    const unsigned owned = owner == kOwnMemory ? 0 : kOwned;
    out.put(static_cast<unsigned>(space) | owned | static_cast<unsigned>(type) << 4, 1);
    if (owned) out.put(static_cast<std::uint32_t>(owner), 4);
  }
  void owners(std::uint16_t count, std::uint16_t step) {
    out.put(count, 2);
    out.put(step, 2);
  }
  void real(double value) { out.put(std::bit_cast<std::uint64_t>(value), 8); }
};

struct Reader {
  ByteReader& in;
  int width;
  void number(std::int64_t& value) { value = extended(width); }
  void address(Space space, Address& value) { value = extended(space == Space::kDram || width == 8 ? 8 : 4); }
  void descriptor(Space& space, DataType& type) { descriptor(static_cast<int>(in.get(1)), space, type); }
  void descriptor(Space& space, DataType& type, int& owner) {
    const auto bits = static_cast<int>(in.get(1));
    descriptor(bits & ~kOwned, space, type);
    if ((bits & kOwned) == 0) return;
    owner = static_cast<std::int32_t>(in.get(4));
    if (owner < 0) in.fail(fmt::format("an operand belongs to {}, expected 0 or more", owner));
  }
  void owners(std::uint16_t& count, std::uint16_t& step) {
    count = static_cast<std::uint16_t>(in.get(2));
    step = static_cast<std::uint16_t>(in.get(2));
    if (count == 0) in.fail("a sum of no memory");
  }
  void real(double& value) { value = std::bit_cast<double>(in.get(8)); }

 private:
  void descriptor(int bits, Space& space, DataType& type) {
    if ((bits & 15) >= kSpaceCount || bits >> 4 >= kDataTypeCount)
      in.fail(fmt::format("operand {:#x} is unknown", bits));
    space = static_cast<Space>(bits & 15);
    type = static_cast<DataType>(bits >> 4);
  }
  std::int64_t extended(int bytes) {
    const int unused = 64 - 8 * bytes;
    return static_cast<std::int64_t>(in.get(bytes) << unused) >> unused;
  }
};

template <typename Codec, typename Array>
void numbers(Codec& codec, Array& values, int dims) {
  for (std::size_t d = values.size() - dims; d < values.size(); ++d) codec.number(values[d]);
}

template <typename Codec, typename B, typename Type>
void box(Codec& codec, B& place, Type& type, int dims) {
  codec.descriptor(place.space, type);
  codec.address(place.space, place.address);
  numbers(codec, place.stride, dims);
}

template <typename Codec, typename B, typename Type>
void owned_box(Codec& codec, B& place, Type& type, int dims) {
  codec.descriptor(place.space, type, place.owner);
  codec.address(place.space, place.address);
  numbers(codec, place.stride, dims);
}

template <typename Codec, typename T>
void body(Codec& codec, T& t, int dims, int flags) requires std::is_same_v<std::remove_const_t<T>, Transfer> {
  numbers(codec, t.shape, dims);
  owned_box(codec, t.source, t.type, dims);
  owned_box(codec, t.target, t.type, dims);
  if (flags & kSummed)
    for (int d = 0; d < kOwnerDims; ++d) codec.owners(t.summed.count[d], t.summed.step[d]);
  if (!(flags & kPadded)) return;
  numbers(codec, t.pad_low, dims);
  numbers(codec, t.pad_high, dims);
  codec.real(t.pad_value);
}

template <typename Codec, typename Operand, typename Type>
void operand(Codec& codec, Operand& place, Type& type, int rows, int columns) {
  codec.descriptor(place.space, type);
  codec.address(place.space, place.address);
  numbers(codec, place.row_stride, rows);
  numbers(codec, place.column_stride, columns);
}

template <typename Codec, typename T>
void body(Codec& codec, T& mm, int dims, int flags) requires std::is_same_v<std::remove_const_t<T>, Matmul> {
  const int m = dims & 3, n = dims >> 2 & 3, k = dims >> 4 & 3;
  numbers(codec, mm.m, m);
  numbers(codec, mm.n, n);
  numbers(codec, mm.k, k);
  operand(codec, mm.a, mm.type, m, k);
  operand(codec, mm.b, mm.type, k, n);
  operand(codec, mm.c, mm.type, m, n);
  if (flags & kZeros) codec.number(mm.zeros);
}

template <typename Codec, typename T>
void body(Codec& codec, T& v, int dims, int flags) requires std::is_same_v<std::remove_const_t<T>, Vector> {
  numbers(codec, v.shape, dims);
  box(codec, v.target, v.target.type, dims);
  box(codec, v.a, v.a.type, dims);
  if (flags & kOperandB) box(codec, v.b, v.b.type, dims);
  if (!(flags & kImmediates)) return;
  codec.real(v.immediate);
  codec.real(v.immediate2);
}

Header header_of(const Transfer& t) {
  const bool padded = t.pad_low != Extents{} || t.pad_high != Extents{} || t.pad_value != 0;
  return {.kind = static_cast<int>(t.kind),
          .flags = (t.cached ? kCached : 0) | (padded ? kPadded : 0) | (t.summed == Owners{} ? 0 : kSummed),
          .dims = dims_of(t),
          .type = static_cast<int>(t.type)};
}

Header header_of(const Matmul& mm) {
  const MatmulDims dims = dims_of(mm);
  return {.flags = (mm.accumulate ? kAccumulate : 0) | (mm.a_stationary ? kAStationary : 0) | (mm.zeros ? kZeros : 0),
          .dims = dims.m | dims.n << 2 | dims.k << 4,
          .type = static_cast<int>(mm.type)};
}

Header header_of(const Vector& v) {
  const bool immediates = v.immediate != 0 || v.immediate2 != 0;
  return {.flags = (v.accumulate ? kAccumulate : 0) | (v.b_is_immediate ? kImmediateB : 0) |
                   (has_operand_b(v) ? kOperandB : 0) | (immediates ? kImmediates : 0),
          .dims = dims_of(v),
          .type = static_cast<int>(v.op)};
}

template <typename Out>
void write_header(Out& out, const Instruction& instruction, const Header& header) {
  const int width_code = header.width == 2 ? 0 : header.width == 4 ? 1 : 2;
  out.put(header.kind, 1);
  out.put(static_cast<unsigned>(instruction.unit) | width_code << 2 | header.flags << 4, 1);
  out.put(instruction.op, 2);
  out.put(instruction.waits.count | instruction.posts.count << 4, 1);
  out.put(header.dims, 1);
  out.put(header.type, 1);
  for (const auto token : instruction.waits) out.put(token, 2);
  for (const auto token : instruction.posts) out.put(token, 2);
}

template <typename Out, typename Body>
void write_work(Out& out, const Instruction& instruction, const Body& work) {
  Header header = header_of(work);
  if (instruction.payload.index() > 0) header.kind = kFirstOfPayload[instruction.payload.index()];
  Widest widest;
  body(widest, work, header.dims, header.flags);
  header.width = widest.width;
  write_header(out, instruction, header);
  Writer<Out> writer{out, header.width};
  body(writer, work, header.dims, header.flags);
}

template <typename Out>
void write_sync(Out& out, const Instruction& instruction, std::initializer_list<int> fields) {
  write_header(out, instruction, {.kind = kFirstOfPayload[instruction.payload.index()]});
  for (const int field : fields) out.put(static_cast<std::uint32_t>(field), 4);
}

template <typename Out>
struct PayloadWriter {
  Out& out;
  const Instruction& instruction;
  void operator()(const Transfer& t) { write_work(out, instruction, t); }
  void operator()(const Matmul& mm) { write_work(out, instruction, mm); }
  void operator()(const Vector& v) { write_work(out, instruction, v); }
  void operator()(const Signal& s) { write_sync(out, instruction, {s.core, s.flag}); }
  void operator()(const Wait& w) { write_sync(out, instruction, {w.flag, w.count}); }
  void operator()(const Barrier& b) { write_sync(out, instruction, {b.id, b.participants}); }
};

template <typename Out>
void write_padded(Out& out, const Instruction& instruction) {
  const Bytes begin = out.offset();
  std::visit(PayloadWriter<Out>{out, instruction}, instruction.payload);
  const Bytes size = out.offset() - begin;
  for (Bytes i = size; i < round_up<Bytes>(size, 8); ++i) out.put(0, 1);
}

TokenList read_tokens(ByteReader& in, int count) {
  TokenList tokens;
  for (int i = 0; i < count; ++i) tokens.add(static_cast<int>(in.get(2)));
  return tokens;
}

Header read_header(ByteReader& in, Instruction& instruction) {
  Header header;
  header.kind = in.get_below(1, kKinds, "instruction kind");
  const auto bits = static_cast<int>(in.get(1));
  instruction.unit = static_cast<Unit>(bits & 3);
  const int width_code = bits >> 2 & 3;
  if (width_code == 3) in.fail("number width 3 is not below 3");
  header.width = 2 << width_code;
  header.flags = bits >> 4;
  instruction.op = static_cast<std::uint16_t>(in.get(2));
  const auto counts = static_cast<int>(in.get(1));
  if ((counts & 15) > kMaxTokensPerList || counts >> 4 > kMaxTokensPerList) {
    in.fail(fmt::format("{} and {} tokens, at most {} are possible", counts & 15, counts >> 4, kMaxTokensPerList));
  }
  header.dims = static_cast<int>(in.get(1));
  header.type = static_cast<int>(in.get(1));
  instruction.waits = read_tokens(in, counts & 15);
  instruction.posts = read_tokens(in, counts >> 4);
  return header;
}

void check_dims(ByteReader& in, const Header& header) {
  if (header.dims < 1 || header.dims > kBoxDims) in.fail(fmt::format("{} dimensions are not 1 to 5", header.dims));
}

DataType checked_type(ByteReader& in, int type) {
  if (type >= kDataTypeCount) in.fail(fmt::format("data type {} is unknown", type));
  return static_cast<DataType>(type);
}

Transfer read_transfer(ByteReader& in, const Header& header) {
  check_dims(in, header);
  Transfer t;
  t.kind = static_cast<TransferKind>(header.kind);
  t.cached = (header.flags & kCached) != 0;
  Reader reader{in, header.width};
  body(reader, t, header.dims, header.flags);
  t.type = checked_type(in, header.type);
  return t;
}

Matmul read_matmul(ByteReader& in, const Header& header) {
  const int dims = header.dims;
  if ((dims & 3) == 0 || (dims >> 2 & 3) == 0 || (dims >> 4 & 3) == 0 || dims >> 6 != 0) {
    in.fail(fmt::format("matmul dimensions {:#x} are not 1 to 3 each", dims));
  }
  Matmul mm;
  mm.accumulate = (header.flags & kAccumulate) != 0;
  mm.a_stationary = (header.flags & kAStationary) != 0;
  Reader reader{in, header.width};
  body(reader, mm, dims, header.flags);
  mm.type = checked_type(in, header.type);
  return mm;
}

Vector read_vector(ByteReader& in, const Header& header) {
  check_dims(in, header);
  if (header.type >= kVectorOpCount) in.fail(fmt::format("vector operation {} is unknown", header.type));
  Vector v;
  v.op = static_cast<VectorOp>(header.type);
  v.accumulate = (header.flags & kAccumulate) != 0;
  v.b_is_immediate = (header.flags & kImmediateB) != 0;
  const bool second = (header.flags & kOperandB) != 0;
  if (second && v.b_is_immediate) in.fail("a vector instruction has both a second operand and an immediate");
  if (!second && !v.b_is_immediate && is_binary(v.op)) in.fail("a binary vector operation lacks its second operand");
  Reader reader{in, header.width};
  body(reader, v, header.dims, header.flags);
  return v;
}

int read_int(ByteReader& in) { return static_cast<std::int32_t>(in.get(4)); }

Payload read_payload(ByteReader& in, const Header& header) {
  if (header.kind < 3) return read_transfer(in, header);
  if (header.kind == 3) return read_matmul(in, header);
  if (header.kind == 4) return read_vector(in, header);
  const int first = read_int(in), second = read_int(in);
  if (header.kind == 5) return Signal{first, second};
  if (header.kind == 6) return Wait{first, second};
  return Barrier{first, second};
}

}  // namespace

void write_instruction(ByteCounter& out, const Instruction& instruction) { write_padded(out, instruction); }
void write_instruction(ByteWriter& out, const Instruction& instruction) { write_padded(out, instruction); }

Instruction read_instruction(ByteReader& in) {
  const Bytes begin = in.offset();
  Instruction instruction;
  const Header header = read_header(in, instruction);
  instruction.payload = read_payload(in, header);
  while ((in.offset() - begin) % 8 != 0) {
    if (in.get(1) != 0) in.fail("the padding of an instruction is not zero");
  }
  return instruction;
}

}  // namespace tilewright
