#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <string_view>

#include "cli/tell.h"
#include "sim/base/stop.h"

namespace tilewright {
namespace {

constexpr unsigned kPatience = 3;  // seconds
constexpr std::string_view kLastWords = "interrupted\n";

volatile std::sig_atomic_t g_patient = 0;

// Functions that a signal handler may call, no others (signal-safety(7)).
void give_up(int) {
  if (write(STDERR_FILENO, kLastWords.data(), kLastWords.size()) < 0) _exit(kInterruptedExit);
  _exit(kInterruptedExit);
}

void note(int) {
  request_stop();
  if (g_patient == 0) alarm(kPatience);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = give_up;
  sigaction(SIGALRM, &action, nullptr);
}

void end_interrupted_work_myself() {
  g_patient = 1;
  alarm(0);
}

void resumable(const std::function<void()>& work) {
  try {
    work();
  } catch (const Stopped& stopped) {
    throw Stopped(stopped.why(),
                  fmt::format("{}; what was measured is kept, the same command goes on from there", stopped.what()));
  }
}

bool interrupted() {
  try {
    check_stop();
    return false;
  } catch (const Stopped&) {
    return true;
  }
}

namespace {

constexpr auto kRedraw = std::chrono::milliseconds(200);
constexpr auto kPlainLine = std::chrono::seconds(10);
constexpr int kBarWidth = 24;

double share_of(std::int64_t done, std::int64_t total) {
  return total <= 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
}

std::string bar_text(double share) {
  const int filled = static_cast<int>(share * kBarWidth);
  return fmt::format("[{}{}]  ", std::string(filled, '#'), std::string(kBarWidth - filled, ' '));
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 120) return fmt::format("{} s", whole);
  const std::int64_t minutes = (whole + 59) / 60;
  if (minutes < 120) return fmt::format("{} min", minutes);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

std::string progress_line(const std::string& label, const std::string& unit, std::int64_t done, std::int64_t total,
                          std::int64_t done_now, double seconds, bool bar) {
  const double share = share_of(done, total);
  std::string line = fmt::format("{}  {}{:.0f} %  {} of {} {}", label, bar ? bar_text(share) : "",
                                 std::floor(100 * share), done, total, unit);
  if (done_now <= 0 || seconds <= 0) return line;
  const double rate = static_cast<double>(done_now) / seconds;
  line += fmt::format(", {:.{}f} {}/s", rate, rate < 10 ? 2 : 0, unit);
  if (done < total) line += fmt::format(", {} left", duration_text(static_cast<double>(total - done) / rate));
  return line;
}

Progress::Progress(std::string label, std::string unit, std::int64_t total, bool quiet)
    : label_(std::move(label)),
      unit_(std::move(unit)),
      total_(total),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      begin_(Clock::now()),
      shown_(begin_) {}

Progress::~Progress() {
  if (quiet_) return;
  if (drawn_) show(Clock::now());
  if (drawn_ && terminal_) tell("\n");
}

void Progress::start_at(std::int64_t done) {
  done_ = first_ = done;
  begin_ = Clock::now();
}

void Progress::update(std::int64_t done) { update(done, total_); }

void Progress::update(std::int64_t done, std::int64_t total) {
  done_ = done;
  total_ = total;
  const Clock::time_point now = Clock::now();
  if (quiet_ || now - shown_ < (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kPlainLine))) return;
  show(now);
}

void Progress::show(Clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const std::string line = progress_line(label_, unit_, done_, total_, done_ - first_, seconds, terminal_);
  tell("{}{}{}", terminal_ ? "\r\x1b[K" : "", line, terminal_ ? "" : "\n");
  std::fflush(stderr);
  shown_ = now;
  drawn_ = true;
}

}  // namespace tilewright
