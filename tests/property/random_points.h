// Random points of the tiling space of random operators on random chips: what arithmetic says a point costs at least is
// never more than its program measures.
#pragma once

#include <algorithm>

#include "planner/estimate/tiling_bound.h"
#include "planner/passes/tile/tiling_choice.h"
#include "tests/property/random_plans.h"

namespace tilewright::test {

class RandomPoints : public RandomPlans {
 public:
  using RandomPlans::RandomPlans;

  // Points of `operators` operators, `each` of every operator.
  void run(int operators, int each) {
    for (int i = 0; i < operators; ++i) {
      Session& session = *sessions_[i % sessions_.size()];
      const PlanOptions options{.type = random_type()};
      try {
        const Plan plan = make_plan(i % 2 == 0 ? random_matmul() : random_conv(), session.hardware(), options);
        compare(session, plan, point_of(plan, 0));
        for (int j = 1; j < each; ++j) compare(session, plan, random_point(tiling_problem(plan, 0)));
      } catch (const UserError&) {
      }
    }
    EXPECT_GT(4 * measured_, operators * each) << "most points were refused";
    // A bound that says nothing would pass everything above.
    EXPECT_GT(tightness_ / measured_, 0.3);
    RecordProperty(tightness_ / measured_);
  }

  int measured() const { return measured_; }
  double tightness() const { return tightness_ / measured_; }

 protected:
  static void RecordProperty(double tightness) {
    testing::Test::RecordProperty("mean_bound_over_measured", std::to_string(tightness));
  }

  TilingPoint random_point(const TilingProblem& problem) {
    const GemmShape& s = problem.whole;
    const std::int64_t kernel = s.conv ? s.conv->kernel() : 1;
    TilingPoint p;
    p.parts_batch = between(1, std::min<std::int64_t>(problem.batch_parts, problem.cores));
    p.parts_m = between(1, std::min(problem.m_parts, problem.cores / p.parts_batch));
    p.parts_n = between(1, std::min(problem.n_parts, problem.cores / p.parts_batch / p.parts_m));
    p.partition_m = between(1, s.m), p.partition_n = between(1, s.n);
    p.partition_k = between(1, s.k / kernel) * kernel;
    p.tile_m = between(1, p.partition_m), p.tile_n = between(1, p.partition_n);
    p.outer_rowmajor = between(0, 1), p.inner_rowmajor = between(0, 1), p.a_stationary = between(0, 1);
    return p;
  }

  void compare(Session& session, const Plan& plan, const TilingPoint& point) {
    PlanOptions options = plan.options;
    options.choices = {choice_of(point, plan.graph, 0, plan.hardware, options.type)};
    if (!check_choice(options.choices[0], plan.graph, plan.hardware, options.type).empty()) return;
    const TilingProblem problem = tiling_problem(plan, 0);
    const TilingBound bound = tiling_bound(problem, point);
    const Measurement run = measure(session, make_plan(plan.graph, plan.hardware, options));
    const std::string what = describe(plan.graph, options.type, plan.hardware) + " " + to_string(point);
    EXPECT_LE(bound.cycles, static_cast<double>(run.cycles)) << what;
    EXPECT_LE(bound.energy_pj, run.energy_pj * (1 + 1e-9)) << what;
    ++measured_;
    tightness_ += bound.cycles / static_cast<double>(run.cycles);
  }

  int measured_ = 0;
  double tightness_ = 0;
};

}  // namespace tilewright::test
