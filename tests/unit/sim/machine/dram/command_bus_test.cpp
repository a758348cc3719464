// Two pseudo channels that take turns on one command bus.
#include <gtest/gtest.h>

#include <random>

#include "sim/machine/dram/dram_checker.h"
#include "sim/machine/dram/dram_command_bus.h"
#include "tests/support/property.h"
#include "tests/unit/sim/machine/dram/dram_test_specs.h"

namespace tilewright {
namespace {

struct SharedPush {
  std::size_t sharer;
  DramRequest request;
  Cycles clock;
};

std::vector<SharedPush> pushes_of_two(const DramSpec& spec, std::uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<SharedPush> pushes;
  Cycles clock = 0;
  for (int i = 0; i < count; ++i) {
    clock += below(40) == 0 ? below(600) : below(4);
    const int bank = below(spec.bank_groups * spec.banks_per_group);
    pushes.push_back({static_cast<std::size_t>(below(2)),
                      {bank, below(3), 1 + below(4), below(3) == 0, 0, static_cast<std::uint32_t>(i)},
                      clock});
  }
  return pushes;
}

// Two controllers, their commands, and when each request was done.
class Pair {
 public:
  Pair(const DramSpec& spec, std::size_t requests)
      : controllers_(2, DramController(spec)), done_(requests, kNeverCycle) {
    for (std::size_t i = 0; i < 2; ++i) controllers_[i].record(&traces[i]);
  }

  void push(const SharedPush& push) { controllers_[push.sharer].push(push.request, push.clock); }
  void advance(Cycles now) {
    bus_.advance(controllers_, now);
    for (DramController& controller : controllers_) {
      for (const DramCompletion& completion : controller.completions()) done_[completion.id] = completion.clock;
      controller.completions().clear();
    }
  }
  bool idle() const { return controllers_[0].idle() && controllers_[1].idle(); }
  Cycles next_wakeup() const { return std::min(controllers_[0].next_wakeup(), controllers_[1].next_wakeup()); }
  const std::vector<Cycles>& done() const { return done_; }

  std::vector<IssuedCommand> traces[2];

 private:
  std::vector<DramController> controllers_;
  DramCommandBus bus_;
  std::vector<Cycles> done_;
};

constexpr Cycles kRest = 20000;

void every_clock(Pair& pair, const std::vector<SharedPush>& pushes) {
  auto next = pushes.begin();
  for (Cycles now = 0; now <= pushes.back().clock + kRest; ++now) {
    for (; next != pushes.end() && next->clock == now; ++next) pair.push(*next);
    pair.advance(now);
  }
}

void lazily(Pair& pair, const std::vector<SharedPush>& pushes) {
  const auto wake_until = [&](Cycles end) {
    for (Cycles next = pair.next_wakeup(); next <= end; next = pair.next_wakeup()) pair.advance(next);
    pair.advance(end);
  };
  for (const SharedPush& push : pushes) {
    wake_until(push.clock);
    pair.push(push);
  }
  wake_until(pushes.back().clock + kRest);
}

std::vector<std::array<std::int64_t, 4>> listed(const std::vector<IssuedCommand>& trace) {
  std::vector<std::array<std::int64_t, 4>> list;
  for (const IssuedCommand& c : trace) list.push_back({c.clock, static_cast<int>(c.command), c.bank, c.row});
  return list;
}

// Clocks at which the bus is taken: where it is dual of columns (odd) and of rows (even) apart.
std::vector<Cycles> taken(const DramSpec& spec, const Pair& pair) {
  std::vector<Cycles> clocks;
  for (const auto& trace : pair.traces)
    for (const IssuedCommand& c : trace)
      clocks.push_back(2 * c.clock + (spec.dual_command_bus && is_column(c.command)));
  std::ranges::sort(clocks);
  return clocks;
}

class CommandBus : public testing::TestWithParam<int> {
 protected:
  DramSpec spec() const { return GetParam() % 2 == 0 ? ddr4_spec() : hbm2_spec(); }
};

TEST_P(CommandBus, CarriesOneCommandPerClockHoweverOftenItIsLookedAt) {
  const test::Property wanted = test::property(900, 800);
  const auto pushes = pushes_of_two(spec(), wanted.seed + static_cast<unsigned>(GetParam()), wanted.cases);
  Pair eager(spec(), pushes.size()), lazy(spec(), pushes.size());
  every_clock(eager, pushes);
  lazily(lazy, pushes);
  EXPECT_TRUE(eager.idle());
  EXPECT_EQ(lazy.done(), eager.done());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(listed(lazy.traces[i]), listed(eager.traces[i]));
    EXPECT_EQ(DramChecker::check_all(spec(), eager.traces[i]), std::nullopt);
  }
  const std::vector<Cycles> clocks = taken(spec(), eager);
  EXPECT_EQ(std::ranges::adjacent_find(clocks), clocks.end());
  EXPECT_EQ(std::ranges::count(eager.done(), kNeverCycle), 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CommandBus, testing::Range(0, 6));

// Every request opens a row of its own, in sixteen banks in turn: three commands, but for each bank's first that closes
// none.
constexpr std::uint32_t kRequests = 400;
constexpr Cycles kCommands = 3 * kRequests - 16;

std::vector<DramController> with_conflicts(const DramSpec& spec, int count) {
  std::vector<DramController> sharers(count, DramController(spec));
  for (DramController& sharer : sharers)
    for (std::uint32_t i = 0; i < kRequests; ++i)
      sharer.push({.bank = static_cast<int>(i) % 16, .row = i / 16, .id = i}, 0);
  return sharers;
}

TEST(CommandBus, HoldsUpRequestsThatOpenRows) {
  DramSpec spec = hbm2_spec();
  spec.timing.RRD_S = spec.timing.RRD_L = 2;
  spec.timing.FAW = spec.timing.REFI = 0;
  spec.dual_command_bus = false;
  std::vector<DramController> alone = with_conflicts(spec, 1), four = with_conflicts(spec, 4);
  const Cycles by_itself = alone[0].drain(), together = DramCommandBus().drain(four, 0);
  EXPECT_LT(by_itself, 2 * kCommands);
  EXPECT_GE(together, 4 * kCommands);
  for (const DramController& sharer : four) EXPECT_EQ(sharer.counters().activates, kRequests);
}

}  // namespace
}  // namespace tilewright
