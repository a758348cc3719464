// Text to instructions and programs; the grammar is in docs/program_format.md.
#include <fmt/format.h>

#include <iterator>
#include <optional>

#include "sim/base/error.h"
#include "sim/base/text_file.h"
#include "sim/isa/binary.h"
#include "sim/isa/lexer.h"
#include "sim/isa/parse_instruction.h"
#include "sim/isa/text.h"

namespace tilewright {

namespace {

constexpr std::int64_t kMaxCoreNumber = 65536;

class ProgramParser {
 public:
  explicit ProgramParser(const std::string& source) : source_(source) {}

  void line(std::string_view text) {
    ++number_;
    Lexer in(text, fmt::format("{}:{}", source_, number_));
    if (in.at_end()) return;
    if (!header_line(in)) instruction_line(in);
    in.expect_end();
  }

  const InstructionLines& lines() const { return lines_; }
  Program finish() {
    if (!named_) throw UserError(source_, "the text holds no program: expected 'program \"name\"' first");
    return std::move(program_);
  }

 private:
  bool header_line(Lexer& in) {
    if (in.accept("program")) {
      if (named_) in.fail_at("program", "no second program in one file");
      program_.name = in.quoted("the program's name");
      named_ = true;
      return true;
    }
    if (!named_) in.fail("'program \"name\"' first");
    if (in.accept("operator")) return operator_line(in), true;
    if (in.accept("segment")) return segment_line(in), true;
    if (in.accept("cores")) return cores_line(in), true;
    if (in.accept("core")) return core_line(in), true;
    return false;
  }

  void operator_line(Lexer& in) {
    const auto next = static_cast<std::int64_t>(program_.operators.size());
    const std::int64_t first = next == 1 && !renamed_none_ ? 0 : next;
    const std::int64_t index = in.integer("the next operator's number", first, next);
    std::string name = in.quoted("the operator's name");
    if (index == next) {
      program_.operators.push_back(std::move(name));
    } else {
      program_.operators[0] = std::move(name);
      renamed_none_ = true;
    }
  }

  void segment_line(Lexer& in) {
    Segment segment;
    segment.name = in.quoted("the segment's name");
    segment.kind = parse_segment_kind(in);
    segment.type = parse_type(in);
    in.expect("@");
    segment.address = in.integer("an address");
    segment.bytes = in.integer("a number of bytes");
    program_.segments.push_back(std::move(segment));
  }

  void cores_line(Lexer& in) {
    if (declared_cores_ || !program_.cores.empty()) in.fail_at("cores", "it once, before the first core");
    declared_cores_ = in.integer("a number of cores", 0, kMaxCoreNumber);
    program_.cores.resize(static_cast<std::size_t>(*declared_cores_));
  }

  void core_line(Lexer& in) {
    const std::int64_t last = declared_cores_.value_or(kMaxCoreNumber) - 1;
    const std::int64_t index = in.integer("a core's number, rising", current_ + 1, last);
    current_ = index;
    if (program_.cores.size() <= static_cast<std::size_t>(index)) program_.cores.resize(index + 1);
    if (!in.accept("fetch")) return;
    in.expect("@");
    program_.cores[index].fetch_address = in.integer("an address");
  }

  void instruction_line(Lexer& in) {
    if (current_ < 0) in.fail("program, operator, segment, cores or core before the first instruction");
    program_.cores[current_].instructions.push_back(parse_instruction(in));
    lines_.resize(program_.cores.size());
    lines_[current_].push_back(number_);
  }

  std::string source_;
  int number_ = 0;
  bool named_ = false, renamed_none_ = false;
  std::int64_t current_ = -1;
  std::optional<std::int64_t> declared_cores_;
  Program program_;
  InstructionLines lines_;
};

}  // namespace

Program parse_program(const std::string& text, const std::string& source, InstructionLines* lines) {
  ProgramParser parser(source);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    parser.line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (lines) *lines = parser.lines();
  return parser.finish();
}

Program load_program(const std::string& path, InstructionLines* lines) {
  return program_from(read_text_file(path), path, lines);
}

Program program_from(const std::string& content, const std::string& path, InstructionLines* lines) {
  const auto* bytes = reinterpret_cast<const std::byte*>(content.data());
  if (!is_binary_program(bytes, content.size())) return parse_program(content, path, lines);
  return decode(std::vector<std::byte>(bytes, bytes + content.size()), path);
}

}  // namespace tilewright
