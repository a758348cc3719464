#include "sim/isa/lexer.h"

#include <algorithm>
#include <charconv>

#include "sim/base/error.h"

namespace tilewright {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

bool is_number(char c) { return is_word(c) || c == '-' || c == '+'; }

// A '#' outside quotes starts a comment.
std::string_view without_comment(std::string_view line) {
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (inside && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      inside = !inside;
    } else if (line[i] == '#' && !inside) {
      return line.substr(0, i);
    }
  }
  return line;
}

std::size_t length_of(std::string_view text, bool (*belongs)(char)) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), belongs) - text.begin());
}

}  // namespace

Lexer::Lexer(std::string_view line, std::string where) : rest_(without_comment(line)), where_(std::move(where)) {
  skip_spaces();
}

void Lexer::skip_spaces() { rest_.remove_prefix(length_of(rest_, is_space)); }

void Lexer::drop(std::size_t count) {
  rest_.remove_prefix(count);
  skip_spaces();
}

// What an error message quotes: a number or word, else one sign.
std::string_view Lexer::next_word() const {
  return rest_.substr(0, std::max<std::size_t>(length_of(rest_, is_number), 1));
}

void Lexer::fail(std::string_view expected) const { fail_at(next_word(), expected); }

void Lexer::fail_at(std::string_view word, std::string_view expected) const {
  if (word.empty()) throw UserError(where_, fmt::format("the line ends where {} is expected", expected));
  throw UserError(where_, fmt::format("got '{}', expected {}", word, expected));
}

bool Lexer::accept(std::string_view text) {
  if (!rest_.starts_with(text)) return false;
  const bool splits_word = is_word(text.back()) && rest_.size() > text.size() && is_word(rest_[text.size()]);
  if (splits_word) return false;
  drop(text.size());
  return true;
}

void Lexer::expect(std::string_view text) {
  if (!accept(text)) fail(fmt::format("'{}'", text));
}

void Lexer::expect_end() {
  if (!at_end()) fail("the end of the line");
}

std::string_view Lexer::word(std::string_view what) {
  const std::size_t length = length_of(rest_, is_word);
  if (length == 0) fail(what);
  const std::string_view word = rest_.substr(0, length);
  drop(length);
  return word;
}

std::string Lexer::quoted(std::string_view what) {
  if (!rest_.starts_with('"')) fail(fmt::format("{} in quotes", what));
  std::string out;
  std::size_t i = 1;
  for (; i < rest_.size() && rest_[i] != '"'; ++i) {
    if (rest_[i] != '\\') {
      out += rest_[i];
      continue;
    }
    ++i;
    if (rest_.substr(i).starts_with('x')) {
      unsigned value = 0;
      const char* digits = rest_.data() + i + 1;
      const char* limit = rest_.data() + std::min(rest_.size(), i + 3);
      if (std::from_chars(digits, limit, value, 16).ptr != digits + 2)
        fail_at(rest_.substr(i - 1), "\\x and two digits");
      out += static_cast<char>(value);
      i += 2;
    } else if (i < rest_.size()) {
      out += rest_[i];
    }
  }
  if (i >= rest_.size()) fail_at(rest_, "a closing quote");
  drop(i + 1);
  return out;
}

std::int64_t Lexer::integer(std::string_view what, std::int64_t low, std::int64_t high) {
  const std::string_view word = rest_.substr(0, length_of(rest_, is_number));
  const bool hexadecimal = word.starts_with("0x");
  const std::string_view digits = hexadecimal ? word.substr(2) : word;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
  if (error == std::errc::result_out_of_range) fail(fmt::format("{} that fits 64 bits", what));
  if (error != std::errc() || end != digits.data() + digits.size()) fail(what);
  if (value < low || value > high) fail_at(word, fmt::format("{} from {} to {}", what, low, high));
  drop(word.size());
  return value;
}

double Lexer::real(std::string_view what) {
  const std::string_view word = rest_.substr(0, length_of(rest_, is_number));
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || word.empty()) fail(what);
  drop(word.size());
  return value;
}

}  // namespace tilewright
