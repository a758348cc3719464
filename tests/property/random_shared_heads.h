// Random attention on random small chips, whose heads of queries share keys and values: every program is legal, ends,
// and computes the right values, and copies none of them.
#pragma once

#include <algorithm>

#include "tests/property/random_plans.h"
#include "tests/support/heads_graph.h"

namespace tilewright::test {

class RandomSharedHeads : public RandomPlans {
 public:
  using RandomPlans::RandomPlans;

  void run(int cases) {
    for (int i = 0; i < cases; ++i) run_attention(*sessions_[i % sessions_.size()]);
    EXPECT_GT(2 * planned_, cases - 16);
    EXPECT_GT(4 * together_, planned_ - 32) << "hardly any is computed together";
  }

 private:
  SharedHeads random_heads() {
    SharedHeads heads;
    heads.repeat = one_of({Repeat::kExpanded, Repeat::kGathered, Repeat::kTiled, Repeat::kBroadcast});
    heads.batch = between(1, 3), heads.keys_of = between(1, 4), heads.group = between(2, 4);
    heads.queries = random_size(40), heads.keys = between(2, 70), heads.depth = between(1, 40);
    heads.scaled = between(0, 1) == 0;
    if (between(0, 3) > 0) heads.mask = random_mask(heads);
    heads.known_mask = between(0, 1) == 0;
    return heads;
  }

  // Of every sequence, head and token, or one for all.
  Shape random_mask(const SharedHeads& heads) {
    const auto either = [&](std::int64_t all) { return between(0, 1) == 0 ? all : 1; };
    const Shape matrix{either(heads.queries), heads.keys};
    Shape mask{either(heads.batch)};
    if (heads.repeat == Repeat::kBroadcast) {
      mask.insert(mask.end(), {either(heads.keys_of), either(heads.group)});
    } else {
      mask.push_back(either(heads.keys_of * heads.group));
    }
    mask.insert(mask.end(), matrix.begin(), matrix.end());
    return mask;
  }

  void run_attention(Session& session) {
    const DataType type = one_of({DataType::kBf16, DataType::kFp16, DataType::kFp32});
    const Graph graph = HeadsGraph(random_heads()).build();
    SCOPED_TRACE(describe(graph, type, session.hardware()));
    PlanOptions options{.type = type};
    if (between(0, 1) == 0)
      options.groups = GroupChoice{.groups = {{{"scores", "softmax", "context"}, ""}}, .source = ""};
    options.cores = static_cast<int>(one_of<std::int64_t>({0, 1, between(1, session.hardware().cores())}));
    const std::optional<Plan> plan = planned(graph, session.hardware(), options);
    if (!plan) return;
    ++planned_;
    together_ += !plan->groups.empty();
    EXPECT_TRUE(std::ranges::none_of(plan->graph.operators(), [](const Operator& op) {
      return op.kind == OpKind::kGather || (op.kind == OpKind::kConcat && !op.attributes.part);
    }));
    expect_values(session, *plan);
  }

  int together_ = 0;
};

}  // namespace tilewright::test
