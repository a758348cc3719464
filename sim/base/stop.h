// Work that is to end before it is done: Ctrl-C, a scheduler's SIGTERM, a limit of time, a host program that says so.
// Who works for long asks check_stop() between two pieces of work.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace tilewright {

// No UserError: who tries something and goes on when it is refused must not go on here.
class Stopped : public std::runtime_error {
 public:
  enum class Why : std::uint8_t { kInterrupted, kTime };
  Stopped(Why why, const std::string& what) : std::runtime_error(what), why_(why) {}
  Why why() const { return why_; }

 private:
  Why why_;
};

// A signal handler may call it: from now on check_stop() throws.
void request_stop() noexcept;

// From now on check_stop() throws when the process is more than `seconds` of wall time older than now; 0: never.
void stop_after(double seconds);

// Asked by check_stop(), ten times a second at most for each thread; what it throws ends the work. For a host program
// with signal handlers of its own.
void set_stop_check(std::function<void()> check);

// A worker process ends with whoever asked it, not by itself: it forgets what it inherited.
void forget_stop();

// Throws Stopped when work is to end. Cheap enough for every step that takes a microsecond.
void check_stop();

}  // namespace tilewright
