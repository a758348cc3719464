// What a long piece of work owes to whoever waits for it: how far it has come, and an ear for Ctrl-C.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace tilewright {

// Ctrl-C (and a scheduler's SIGTERM) as a question that long work asks (sim/base/stop.h). A second one ends the program
// at once; so does the first when the work has not noticed it after some seconds.
//
// Exit code of a command that was interrupted, as shells have it.
inline constexpr int kInterruptedExit = 130;

// From now on the first signal asks for a stop.
void catch_interrupts();
// For who has to tell others first: the first signal never ends the program by itself, and interrupted() is whether
// check_stop() would throw.
void end_interrupted_work_myself();
bool interrupted();

// Runs `work`, whose results are written as they come; that it goes on where it was stopped is added to what is thrown.
void resumable(const std::function<void()>& work);

// On stderr: a bar with rate and time left on a terminal, a plain line now and then anywhere else. Results never depend
// on it.
class Progress {
 public:
  // `unit`: what is counted, in the plural, e.g. "shapes". `quiet`: say nothing.
  Progress(std::string label, std::string unit, std::int64_t total, bool quiet = false);
  ~Progress();  // ends the line of the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` of `total` units are finished. Work that was already there (a resumed build) is told before the rest, with
  // start_at(), so that it does not count in the rate.
  void start_at(std::int64_t done);
  void update(std::int64_t done);
  void update(std::int64_t done, std::int64_t total);

 private:
  using Clock = std::chrono::steady_clock;
  void show(Clock::time_point now);

  std::string label_, unit_;
  std::int64_t total_ = 0, done_ = 0, first_ = 0;
  bool quiet_ = false, terminal_ = false, drawn_ = false;
  Clock::time_point begin_, shown_;
};

// "boundary shapes  [#####     ]  50 %  120 of 240 shapes, 3.2 shapes/s, 38 s left"; without the bar when `bar` is
// false. `done_now` units took `seconds`.
std::string progress_line(const std::string& label, const std::string& unit, std::int64_t done, std::int64_t total,
                          std::int64_t done_now, double seconds, bool bar);

// "38 s", "12 min", "3 h 05 min".
std::string duration_text(double seconds);

}  // namespace tilewright
