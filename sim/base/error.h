// Two verbs for two kinds of fault. A user's mistake throws UserError with its place; a broken invariant of ours throws
// InternalError through SIM_CHECK, in every build type.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace tilewright {

// Exit code 2. `where` is "file:line" or another place the user can open; `what` is one clear sentence.
class UserError : public std::runtime_error {
 public:
  UserError(const std::string& where, const std::string& what)
      : std::runtime_error(where.empty() ? what : where + ": " + what) {}
};

// Exit code 1: a bug of this program.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_check(const char* file, int line, const char* condition, const std::string& message);

}  // namespace tilewright

#define SIM_CHECK(condition, ...)                                                           \
  do {                                                                                      \
    if (!(condition)) [[unlikely]]                                                          \
      ::tilewright::fail_check(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
  } while (false)
