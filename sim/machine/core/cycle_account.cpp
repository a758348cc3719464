#include "sim/machine/core/cycle_account.h"

#include <numeric>

namespace tilewright {
namespace {

struct ActivityName {
  const char *name, *description;
};
constexpr std::array<ActivityName, kActivityCount> kNames{{
    {"idle_cycles", "no matmul instruction waits or runs"},
    {"compute_cycles", "the matmul pipe holds work"},
    {"wait_a_cycles", "matmul waits for input buffer A"},
    {"wait_b_cycles", "matmul waits for input buffer B"},
    {"wait_accumulator_cycles", "matmul waits for the accumulate buffer to be stored or worked on"},
    {"wait_token_cycles", "matmul waits for another token or flag"},
}};

}  // namespace

void CycleAccount::add_statistics(const std::string& prefix, Clock clock, Picoseconds total,
                                  Statistics& statistics) const {
  const Picoseconds sum = std::accumulate(state_.spent.begin(), state_.spent.end(), Picoseconds{0});
  SIM_CHECK(sum == total, "{}: activities take {} ps of a run of {} ps", prefix, sum, total);
  for (int i = 0; i < kActivityCount; ++i) {
    statistics.add(prefix + "." + kNames[i].name, "cycles", kNames[i].description,
                   static_cast<double>(state_.spent[i]) / static_cast<double>(clock.period_ps));
  }
}

}  // namespace tilewright
