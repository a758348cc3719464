// Programs to text; the grammar is in docs/program_format.md.
#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <span>

#include "sim/base/printable.h"
#include "sim/base/text_list.h"
#include "sim/isa/instruction.h"
#include "sim/isa/text.h"

namespace tilewright {

namespace {

using Out = std::back_insert_iterator<std::string>;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += printable({&c, 1});
  }
  return out + '"';
}

// Shortest text that reads back as the same double.
std::string real(double value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

// The last `dims` of an array, outermost first.
template <std::size_t N>
std::string list(const std::array<std::int64_t, N>& values, int dims) {
  return fmt::format("{}", fmt::join(std::span(values).last(dims), ","));
}

std::string place(Space space, Address address, int owner = kOwnMemory) {
  if (space == Space::kDram && owner == kOwnMemory && address >= 0) return fmt::format("dram@{:#x}", address);
  return fmt::format("{}@{}", place_name(space, owner), address);
}

std::string box_text(const Box& box, int dims) {
  return fmt::format("{}({})", place(box.space, box.address, box.owner), list(box.stride, dims));
}

std::string operand_text(const VectorOperand& operand, int dims) {
  return fmt::format("{}:{}({})", place(operand.space, operand.address), name_of(operand.type),
                     list(operand.stride, dims));
}

std::string operand_text(const MatmulOperand& operand, int rows, int columns) {
  return fmt::format("{}({};{})", place(operand.space, operand.address), list(operand.row_stride, rows),
                     list(operand.column_stride, columns));
}

std::string pad_text(const Transfer& t, int dims) {
  std::string out;
  for (int d = kBoxDims - dims; d < kBoxDims; ++d)
    append_item(out, ",", fmt::format("{}:{}", t.pad_low[d], t.pad_high[d]));
  return out;
}

// "[4](1)", or of two dimensions "[2,2](4,1)".
std::string owners_text(const Owners& owners) {
  const std::size_t dims = owners.count[0] > 1 ? kOwnerDims : 1;
  return fmt::format("[{}]({})", fmt::join(std::span(owners.count).last(dims), ","),
                     fmt::join(std::span(owners.step).last(dims), ","));
}

// One per payload: what stands between the mnemonic and the tokens.
void print_payload(Out out, const Transfer& t) {
  const int dims = dims_of(t);
  fmt::format_to(out, " {} [{}] {} -> {}", name_of(t.type), list(t.shape, dims), box_text(t.source, dims),
                 box_text(t.target, dims));
  if (t.sums()) fmt::format_to(out, " sum={}", owners_text(t.summed));
  if (t.cached) fmt::format_to(out, " cached");
  if (t.pad_low != Extents{} || t.pad_high != Extents{}) fmt::format_to(out, " pad=[{}]", pad_text(t, dims));
  if (t.pad_value != 0) fmt::format_to(out, " value={}", real(t.pad_value));
}

void print_payload(Out out, const Matmul& mm) {
  const MatmulDims dims = dims_of(mm);
  fmt::format_to(out, " {} m=[{}] n=[{}] k=[{}] {} {} -> {}", name_of(mm.type), list(mm.m, dims.m), list(mm.n, dims.n),
                 list(mm.k, dims.k), operand_text(mm.a, dims.m, dims.k), operand_text(mm.b, dims.k, dims.n),
                 operand_text(mm.c, dims.m, dims.n));
  if (mm.accumulate) fmt::format_to(out, " accumulate");
  if (mm.a_stationary) fmt::format_to(out, " a_stationary");
  if (mm.zeros != 0) fmt::format_to(out, " zeros={}", mm.zeros);
}

void print_payload(Out out, const Vector& v) {
  const int dims = dims_of(v);
  fmt::format_to(out, " {} [{}] {}", name_of(v.op), list(v.shape, dims), operand_text(v.a, dims));
  if (v.b_is_immediate) fmt::format_to(out, ", {}", real(v.immediate));
  if (has_operand_b(v)) fmt::format_to(out, ", {}", operand_text(v.b, dims));
  fmt::format_to(out, " -> {}", operand_text(v.target, dims));
  if (v.accumulate) fmt::format_to(out, " accumulate");
  const bool clip = v.op == VectorOp::kClip;
  if (!v.b_is_immediate && (clip || v.immediate != 0)) fmt::format_to(out, " low={}", real(v.immediate));
  if (clip || v.immediate2 != 0)
    fmt::format_to(out, " {}={}", has_zero_point(v.op) ? "zero" : "high", real(v.immediate2));
}

void print_payload(Out out, const Signal& s) { fmt::format_to(out, " core={} flag={}", s.core, s.flag); }
void print_payload(Out out, const Wait& w) { fmt::format_to(out, " flag={} count={}", w.flag, w.count); }
void print_payload(Out out, const Barrier& b) { fmt::format_to(out, " id={} of={}", b.id, b.participants); }

void print_tokens(Out out, std::string_view word, const TokenList& tokens) {
  if (tokens.count > 0) fmt::format_to(out, " {} t{}", word, fmt::join(tokens, ",t"));
}

// The stream stands in the text where the mnemonic does not say it.
bool names_unit(const Instruction& instruction) {
  return instruction.payload.index() > 2 || name_of(instruction.unit) != mnemonic(instruction);
}

void print_to(std::string& text, const Instruction& instruction) {
  const Out out(text);
  text += mnemonic(instruction);
  if (instruction.op != 0) fmt::format_to(out, " op={}", instruction.op);
  std::visit([&](const auto& payload) { print_payload(out, payload); }, instruction.payload);
  if (names_unit(instruction)) fmt::format_to(out, " unit={}", name_of(instruction.unit));
  print_tokens(out, "wait", instruction.waits);
  print_tokens(out, "post", instruction.posts);
}

void print_header(std::string& text, const Program& program) {
  const Out out(text);
  fmt::format_to(out, "program {}\n", quoted(program.name));
  for (std::size_t i = 0; i < program.operators.size(); ++i) {
    if (i == 0 && program.operators[i] == "none") continue;
    fmt::format_to(out, "operator {} {}\n", i, quoted(program.operators[i]));
  }
  for (const Segment& s : program.segments) {
    fmt::format_to(out, "segment {} {} {} @{} {}\n", quoted(s.name), name_of(s.kind), name_of(s.type),
                   s.address < 0 ? std::to_string(s.address) : fmt::format("{:#x}", s.address), s.bytes);
  }
  fmt::format_to(out, "cores {}\n", program.cores.size());
}

void print_core(std::string& text, std::size_t index, const CoreProgram& core) {
  const Out out(text);
  fmt::format_to(out, "core {}", index);
  if (core.fetch_address < 0) fmt::format_to(out, " fetch @{}", core.fetch_address);
  if (core.fetch_address > 0) fmt::format_to(out, " fetch @{:#x}", core.fetch_address);
  text += '\n';
  for (const Instruction& instruction : core.instructions) {
    text += "  ";
    print_to(text, instruction);
    text += '\n';
  }
}

}  // namespace

std::string print_instruction(const Instruction& instruction) {
  std::string text;
  print_to(text, instruction);
  return text;
}

std::string print_program(const Program& program) {
  std::string text;
  print_header(text, program);
  for (std::size_t i = 0; i < program.cores.size(); ++i) {
    if (!(program.cores[i] == CoreProgram{})) print_core(text, i, program.cores[i]);
  }
  return text;
}

}  // namespace tilewright
