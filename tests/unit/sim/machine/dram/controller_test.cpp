#include <gtest/gtest.h>

#include <random>

#include "sim/machine/dram/dram_checker.h"
#include "sim/machine/dram/dram_controller.h"
#include "tests/support/property.h"
#include "tests/unit/sim/machine/dram/dram_test_specs.h"

namespace tilewright {
namespace {

struct Push {
  DramRequest request;
  Cycles clock;
};

// Bursts of requests with pauses: few rows so that hits, misses and conflicts all occur, queues overflow, and some
// pauses are longer than a refresh interval.
std::vector<Push> random_pushes(const DramSpec& spec, unsigned seed, int count) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<Push> pushes;
  Cycles clock = 0;
  for (int i = 0; i < count; ++i) {
    if (below(40) == 0) clock += below(4) == 0 ? below(4 * spec.timing.REFI) : below(300);
    clock += below(3) == 0 ? below(12) : 0;
    const int bank = below(3) == 0 ? 0 : below(spec.bank_groups * spec.banks_per_group);
    const int bursts = below(2) == 0 ? 1 : 1 + below(12);
    pushes.push_back({{bank, below(3), bursts, below(3) == 0, 0, static_cast<std::uint32_t>(i)}, clock});
  }
  return pushes;
}

struct Outcome {
  std::vector<Cycles> done;
  std::vector<IssuedCommand> trace;
  DramCounters counters;
};

constexpr Cycles kTail = 20000;

class Drive {
 public:
  Drive(const DramSpec& spec, std::size_t requests) : controller_(spec) {
    outcome_.done.assign(requests, kNeverCycle);
    controller_.record(&outcome_.trace);
  }

  Outcome every_clock(const std::vector<Push>& pushes) {
    const Cycles end = pushes.back().clock + kTail;
    auto next = pushes.begin();
    for (Cycles now = 0; now <= end; ++now) {
      for (; next != pushes.end() && next->clock == now; ++next) controller_.push(next->request, now);
      advance(now);
    }
    return finish();
  }

  // Only when asked for, and when something arrives. Checks that no completion was certain too late to be told.
  Outcome lazily(const std::vector<Push>& pushes) {
    for (const Push& push : pushes) {
      wake_until(push.clock);
      controller_.push(push.request, push.clock);
      pushed_ = true;
    }
    wake_until(pushes.back().clock + kTail);
    return finish();
  }

 private:
  void wake_until(Cycles end) {
    for (Cycles next = controller_.next_wakeup(); next <= end; next = controller_.next_wakeup()) {
      // The same clock only to take what was pushed since.
      EXPECT_GE(next, last_ + !pushed_);
      pushed_ = false;
      advance(next);
    }
    advance(end);
  }
  void advance(Cycles now) {
    controller_.advance(now);
    for (const DramCompletion& completion : controller_.completions()) {
      EXPECT_GE(completion.clock, last_);
      EXPECT_EQ(outcome_.done[completion.id], kNeverCycle);
      outcome_.done[completion.id] = completion.clock;
    }
    controller_.completions().clear();
    last_ = now;
  }
  Outcome finish() {
    EXPECT_TRUE(controller_.idle());
    EXPECT_EQ(controller_.waiting_for(), "");
    outcome_.counters = controller_.counters();
    return std::move(outcome_);
  }

  DramController controller_;
  Outcome outcome_;
  Cycles last_ = -1;
  bool pushed_ = false;
};

bool same(const std::vector<IssuedCommand>& a, const std::vector<IssuedCommand>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.clock == y.clock && x.command == y.command && x.bank == y.bank && x.row == y.row;
  });
}

class DramControllerProperty : public testing::TestWithParam<int> {
 protected:
  DramSpec spec() const { return GetParam() % 2 == 0 ? ddr4_spec() : hbm2_spec(); }
  // A case is a request.
  std::vector<Push> pushes_of(std::uint64_t seed) const {
    const test::Property wanted = test::property(seed, 1500);
    return random_pushes(spec(), static_cast<unsigned>(wanted.seed) + static_cast<unsigned>(GetParam()), wanted.cases);
  }
};

TEST_P(DramControllerProperty, LazyEqualsEveryClockAndEveryCommandIsLegal) {
  const std::vector<Push> pushes = pushes_of(0);
  const Outcome eager = Drive(spec(), pushes.size()).every_clock(pushes);
  const Outcome lazy = Drive(spec(), pushes.size()).lazily(pushes);
  EXPECT_EQ(lazy.done, eager.done);
  EXPECT_TRUE(same(lazy.trace, eager.trace));
  EXPECT_EQ(lazy.counters, eager.counters);
  EXPECT_EQ(DramChecker::check_all(spec(), eager.trace), std::nullopt);
}

// A read that comes in the clock of the last burst before it is accepted before the next clock's commands: the writes
// that wait go on waiting. This stream has one.
TEST(DramController, AReadThatComesWithTheLastBurstKeepsTheDirection) {
  const std::vector<Push> pushes = random_pushes(ddr4_spec(), 85'852'669, 31);
  const Outcome eager = Drive(ddr4_spec(), pushes.size()).every_clock(pushes);
  const Outcome lazy = Drive(ddr4_spec(), pushes.size()).lazily(pushes);
  EXPECT_EQ(lazy.done, eager.done);
  EXPECT_TRUE(same(lazy.trace, eager.trace));
}

TEST_P(DramControllerProperty, NothingIsLostAndEveryBurstIsOneCommand) {
  const std::vector<Push> pushes = pushes_of(100);
  std::int64_t bursts = 0;
  for (const Push& push : pushes) bursts += push.request.bursts;
  const Outcome outcome = Drive(spec(), pushes.size()).lazily(pushes);
  EXPECT_EQ(std::count(outcome.done.begin(), outcome.done.end(), kNeverCycle), 0);
  const auto columns = std::count_if(outcome.trace.begin(), outcome.trace.end(),
                                     [](const IssuedCommand& c) { return is_column(c.command); });
  EXPECT_EQ(columns, bursts);
  const DramCounters& c = outcome.counters;
  EXPECT_EQ(c.read_bursts + c.write_bursts, bursts);
  EXPECT_EQ(c.row_hits + c.row_misses + c.row_conflicts, static_cast<std::int64_t>(pushes.size()));
}

std::uint64_t hash_of(const std::vector<IssuedCommand>& commands) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const IssuedCommand& c : commands)
    for (const std::int64_t value : {c.clock, static_cast<Cycles>(c.command), static_cast<Cycles>(c.bank), c.row})
      hash = (hash ^ static_cast<std::uint64_t>(value)) * 1099511628211u;
  return hash;
}

// As a scheduler issues them that looks at every bank before every command.
TEST(DramController, CommandsAreThoseOfSearchingAlways) {
  constexpr std::uint64_t kHashes[] = {12908495262821692884u, 276145902732391662u,   16742107838079773422u,
                                       4503568935924199400u,  14343303585456856645u, 10039672767654047155u,
                                       2214103370203765171u,  6478898065509906814u};
  for (unsigned seed = 0; seed < std::size(kHashes); ++seed) {
    DramSpec spec = seed % 2 == 0 ? ddr4_spec() : hbm2_spec();
    if (seed >= 4) spec.read_queue = spec.write_queue = 8;
    const std::vector<Push> pushes = random_pushes(spec, seed, 1500);
    EXPECT_EQ(hash_of(Drive(spec, pushes.size()).lazily(pushes).trace), kHashes[seed]) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DramControllerProperty, testing::Range(0, 8));

std::vector<DramCompletion> run_dry(DramController& controller) {
  for (Cycles next = controller.next_wakeup(); next != kNeverCycle; next = controller.next_wakeup())
    controller.advance(next);
  return controller.completions();
}

TEST(DramController, IdleLatenciesAreThePublishedOnes) {
  for (const DramSpec& spec : {ddr4_spec(), hbm2_spec()}) {
    const bool ddr4 = !spec.dual_command_bus;
    DramController controller(spec);
    controller.push({.bank = 0, .row = 0, .id = 0}, 0);
    controller.push({.bank = 0, .row = 0, .id = 1}, 500);
    controller.push({.bank = 0, .row = 1, .id = 2}, 1000);
    const auto done = run_dry(controller);
    ASSERT_EQ(done.size(), 3u);
    EXPECT_EQ(done[0].clock, ddr4 ? 39 : 31);         // closed bank
    EXPECT_EQ(done[1].clock - 500, ddr4 ? 22 : 17);   // row hit
    EXPECT_EQ(done[2].clock - 1000, ddr4 ? 56 : 45);  // row conflict
  }
}

TEST(DramController, FullQueueHoldsTheHeadOfTheLine) {
  DramSpec spec = ddr4_spec();
  spec.write_queue = 2;
  DramController controller(spec);
  for (std::uint32_t i = 0; i < 4; ++i) controller.push({.bank = 0, .row = i, .write = true, .id = i}, 0);
  controller.push({.bank = 4, .row = 0, .id = 4}, 0);
  const auto done = run_dry(controller);
  ASSERT_EQ(done.size(), 5u);
  EXPECT_EQ(done[0].clock, 0);
  EXPECT_EQ(done[1].clock, 1);
  EXPECT_EQ(done[2].clock, 2);  // the first write left the queue with its activate
  EXPECT_GT(done[3].clock, 40);
  EXPECT_GT(done[4].clock, done[3].clock);  // the read waits behind the writes
}

TEST(DramController, RefreshComesEveryIntervalAndClosesRows) {
  const DramSpec spec = ddr4_spec();
  std::vector<IssuedCommand> trace;
  DramController controller(spec);
  controller.record(&trace);
  controller.push({.bank = 0, .row = 0}, 0);
  controller.advance(3 * 9360);
  EXPECT_EQ(controller.counters().refreshes, 3 - 0);
  std::vector<Cycles> refreshes;
  for (const IssuedCommand& c : trace)
    if (c.command == DramCommand::kRefresh) refreshes.push_back(c.clock);
  EXPECT_EQ(refreshes, (std::vector<Cycles>{9360 + 17, 2 * 9360, 3 * 9360}));
}

TEST(DramController, IdleRefreshesInBulkEqualOneByOne) {
  const DramSpec spec = ddr4_spec();
  std::vector<IssuedCommand> trace;
  DramController bulk(spec), single(spec);
  single.record(&trace);  // recording does not skip
  for (DramController* controller : {&bulk, &single}) {
    controller->push({.bank = 0, .row = 0}, 0);
    controller->advance(9360 * 100 + 5);
    controller->push({.bank = 0, .row = 0}, 9360 * 100 + 5);
  }
  EXPECT_EQ(run_dry(bulk).back().clock, run_dry(single).back().clock);
  EXPECT_EQ(bulk.counters(), single.counters());
  EXPECT_EQ(bulk.counters().refreshes, 100);
}

TEST(DramController, NoRefreshWhenSwitchedOff) {
  DramSpec spec = ddr4_spec();
  spec.timing.REFI = 0;
  DramController controller(spec);
  controller.advance(1000000);
  EXPECT_EQ(controller.counters().refreshes, 0);
}

TEST(DramController, TrainsMoveManyBurstsPerWakeup) {
  DramController controller(ddr4_spec());
  for (int i = 0; i < 200; ++i) controller.push({.bank = i % 16, .row = i / 16, .bursts = 8}, 0);
  int wakeups = 0;
  for (Cycles next = controller.next_wakeup(); next != kNeverCycle; next = controller.next_wakeup(), ++wakeups)
    controller.advance(next);
  EXPECT_EQ(controller.counters().read_bursts, 1600);
  EXPECT_LE(wakeups, 400);
}

// With write_low 0 a drain ends when no write is left, and the reads behind it pass.
TEST(DramController, ADrainEndsWithTheLastWrite) {
  DramSpec spec = ddr4_spec();
  spec.write_low = 0;
  std::vector<Push> pushes;
  for (std::uint32_t i = 0; i < 100; ++i)
    pushes.push_back({{.bank = static_cast<int>(i % 16), .row = 1, .bursts = 1, .write = i < 60, .id = i}, 0});
  const Outcome outcome = Drive(spec, pushes.size()).lazily(pushes);
  for (std::size_t i = 0; i < pushes.size(); ++i) EXPECT_LT(outcome.done[i], kTail) << "request " << i;
}

}  // namespace
}  // namespace tilewright
