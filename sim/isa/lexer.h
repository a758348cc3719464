// One line of a text program, read word by word. Every failure is a UserError that names the line, the offending word
// and what was expected.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

class Lexer {
 public:
  // `where` is "source:line"; a comment is cut off the line.
  Lexer(std::string_view line, std::string where);

  bool at_end() const { return rest_.empty(); }
  // Takes `text` when it comes next.
  bool accept(std::string_view text);
  void expect(std::string_view text);
  void expect_end();

  // Letters, digits, '_' and '.'; `what` says what is expected, for the message.
  std::string_view word(std::string_view what);
  std::string quoted(std::string_view what);
  // Decimal or 0x hexadecimal, in [low, high].
  std::int64_t integer(std::string_view what, std::int64_t low = INT64_MIN, std::int64_t high = INT64_MAX);
  double real(std::string_view what);

  const std::string& where() const { return where_; }

  [[noreturn]] void fail(std::string_view expected) const;
  [[noreturn]] void fail_at(std::string_view word, std::string_view expected) const;

 private:
  void skip_spaces();
  void drop(std::size_t count);
  std::string_view next_word() const;

  std::string_view rest_;
  std::string where_;
};

}  // namespace tilewright
