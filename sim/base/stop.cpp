#include "sim/base/stop.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <utility>

namespace tilewright {
namespace {

using Wall = std::chrono::steady_clock;
constexpr auto kBetweenLooks = std::chrono::milliseconds(100);

volatile std::sig_atomic_t g_requested = 0;
double g_seconds = 0;  // allowed; 0: any
Wall::time_point g_deadline = Wall::time_point::max();
std::function<void()> g_host_check;

// The clock and the host program, which cost more than a flag.
void look() {
  thread_local Wall::time_point looked;
  const Wall::time_point now = Wall::now();
  if (now - looked < kBetweenLooks) return;
  looked = now;
  if (now >= g_deadline)
    throw Stopped(Stopped::Why::kTime, fmt::format("--max-seconds: stopped after {:g} s, not done yet", g_seconds));
  if (g_host_check) g_host_check();
}

}  // namespace

void request_stop() noexcept { g_requested = 1; }

void stop_after(double seconds) {
  g_seconds = seconds;
  g_deadline = seconds <= 0
                   ? Wall::time_point::max()
                   : Wall::now() + std::chrono::duration_cast<Wall::duration>(std::chrono::duration<double>(seconds));
}

void set_stop_check(std::function<void()> check) { g_host_check = std::move(check); }

void forget_stop() {
  g_requested = 0;
  stop_after(0);
  g_host_check = nullptr;
}

void check_stop() {
  if (g_requested != 0) throw Stopped(Stopped::Why::kInterrupted, "interrupted");
  if (g_host_check || g_deadline != Wall::time_point::max()) look();
}

}  // namespace tilewright
