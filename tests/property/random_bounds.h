// No bound is above a measurement: roofline, communication bound, tiling bound, and a copy's bound, on random chips
// (random_chips.h), operators and plans.
#pragma once

#include "planner/estimate/bandwidth.h"
#include "planner/estimate/communication_bound.h"
#include "planner/measure/measure_copy.h"
#include "tests/property/random_chips.h"
#include "tests/property/random_copies.h"
#include "tests/property/random_points.h"

namespace tilewright::test {

inline std::vector<Hardware> random_chips(std::uint64_t seed, int count, Variety variety = Variety::kAll) {
  std::vector<Hardware> chips;
  for (RandomChips random(seed, variety); std::ssize(chips) < count;) chips.push_back(random.next());
  return chips;
}

class RandomBounds : public RandomPoints {
 public:
  RandomBounds(std::uint64_t seed, int chips) : RandomPoints(seed, random_chips(seed, chips)), copies_(seed) {}

  void run(int cases) {
    for (int i = 0; i < cases && !testing::Test::HasFatalFailure(); ++i) {
      Session& session = *sessions_[i % sessions_.size()];
      SCOPED_TRACE(fmt::format("case {} on\n{}", i, to_yaml(session.hardware())));
      if (i % 5 == 4)
        compare_copy(session);
      else
        compare_plan(session, i % 5 % 2 == 0 ? random_matmul() : random_conv());
    }
    EXPECT_GT(2 * planned_, cases) << "most plans were refused";
    for (const auto& [name, bound] : means_) {
      const double mean = bound.sum / bound.count;
      fmt::print("{}: {} cases, {:.0f} % of the measurement on the mean\n", name, bound.count, 100 * mean);
      // A bound that says nothing would pass everything.
      EXPECT_GT(mean, 0.1) << name;
    }
  }

 private:
  struct Mean {
    double sum = 0;
    int count = 0;
  };

  void expect_below(const char* name, double bound, double measured) {
    EXPECT_LE(bound, measured * (1 + 1e-9)) << name;
    means_[name].sum += bound / measured;
    ++means_[name].count;
  }

  void compare_plan(Session& session, const Graph& graph) {
    const DataType type = random_type();
    const PlanOptions options = random_options(session.hardware(), type);
    SCOPED_TRACE(fmt::format("{} {}, {} cores", describe(graph, type, session.hardware()),
                             kParallelNames[static_cast<int>(options.parallel)], options.cores));
    try {
      const Plan plan = make_plan(graph, session.hardware(), options);
      ++planned_;
      const auto cycles = static_cast<double>(measure(session, plan).cycles);
      expect_below("network", network_roofline_of(plan).cycles(), cycles);
      expect_below("roofline", operators_roofline_of(plan).cycles(), cycles);
      const int cores = options.cores > 0 ? options.cores : session.hardware().cores();
      if (has_communication_bound(plan, 0))
        expect_below("communication bound", least_communication_bound(plan, 0, cores).cycles(), cycles);
      compare(session, plan, point_of(plan, 0));
      compare(session, plan, random_point(tiling_problem(plan, 0)));
    } catch (const UserError&) {  // too little memory
    }
  }

  void compare_copy(Session& session) {
    const CopyCase one = copies_.next_whole();
    if (overlaps_itself(one.to.side.view)) return;
    const TracedCopy copy{
        "random", random_type(), {one.from.side.layout, one.from.side.view}, {one.to.side.layout, one.to.side.view}};
    SCOPED_TRACE(RandomCopies::describe(one));
    const CopyMeasurement measured = measure_copy(session, direct_copy(copy), copy, false);
    ++planned_;
    const CopyBound bound = copy_bound(one.from.side, one.to.side);
    const Bytes element = bytes_of(copy.type);
    EXPECT_GE(measured.dram_read, bound.read * element);
    EXPECT_GE(measured.dram_write, bound.written * element);
    const double rate = static_cast<double>((bound.read + bound.written) * element) /
                        static_cast<double>(measured.cycles) / dram_peak(session.hardware());
    EXPECT_LE(rate, placement_limit(session.hardware(), copy, bound) * (1 + 1e-9));
  }

  RandomCopies copies_;
  std::map<std::string, Mean> means_;
};

// Every seed has chips of its own.
inline void run_random_bounds(std::uint64_t seed, int chips, int cases) {
  const Property wanted = property(seed, cases);
  RandomBounds(wanted.seed, chips).run(wanted.cases);
}

}  // namespace tilewright::test
