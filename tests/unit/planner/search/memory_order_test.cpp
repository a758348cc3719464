// The order of least memory, against every order of small graphs, and its memory against that of a plan.
#include "planner/search/order/memory_order.h"

#include <gtest/gtest.h>

#include "planner/import/import.h"
#include "planner/ir/lifetime.h"
#include "tests/unit/planner/passes/plan_support.h"
#include "tests/unit/planner/search/random_dag.h"

namespace tilewright::test {
namespace {

// One result a node, read by those behind it; those without readers are outputs.
std::vector<HeldTensor> random_results(const ScheduleDag& dag) {
  std::vector<HeldTensor> tensors{{.bytes = *rc::gen::inRange(0, 50), .lasting = true}};
  for (int node = 0; node < dag.size(); ++node)
    tensors.push_back({.bytes = *rc::gen::inRange(1, 100),
                       .writers = {node},
                       .readers = dag.next[node],
                       .lasting = dag.next[node].empty()});
  // Two nodes that write parts of one result.
  if (dag.size() > 2) tensors.push_back({.bytes = 40, .writers = {0, 1}, .readers = {dag.size() - 1}});
  return tensors;
}

// The definition, without anything carried along.
Bytes peak_by_hand(const std::vector<HeldTensor>& tensors, const NodeOrder& order) {
  std::vector<int> place(order.size());
  for (int at = 0; at < std::ssize(order); ++at) place[order[at]] = at;
  Bytes peak = 0;
  for (int now = 0; now < std::ssize(order); ++now) {
    Bytes bytes = 0;
    for (const HeldTensor& tensor : tensors) {
      int first = tensor.writers.empty() ? 0 : static_cast<int>(order.size()), last = 0;
      for (const int node : tensor.writers) first = std::min(first, place[node]), last = std::max(last, place[node]);
      for (const int node : tensor.readers) last = std::max(last, place[node]);
      if (first <= now && (tensor.lasting || now <= last)) bytes += tensor.bytes;
    }
    peak = std::max(peak, bytes);
  }
  return peak;
}

TEST(MemoryOrder, NeedsTheLeastOfAllOrders) {
  EXPECT_TRUE(rc::check([] {
    const ScheduleDag dag = random_dag(7);
    const std::vector<HeldTensor> tensors = random_results(dag);
    Bytes least = std::numeric_limits<Bytes>::max();
    for (const NodeOrder& order : all_orders(dag)) {
      const Bytes peak = peak_of(dag, tensors, order);
      RC_ASSERT(peak == peak_by_hand(tensors, order));
      least = std::min(least, peak);
    }
    const MemoryOrder found = least_memory_order(dag, tensors);
    RC_ASSERT(is_topological(dag, found.order));
    RC_ASSERT(found.exact);
    RC_ASSERT(found.peak == least);
    RC_ASSERT(peak_of(dag, tensors, found.order) == least);
  }));
}

TEST(MemoryOrder, IsAnOrderWhereNotAllIdealsAreLookedAt) {
  EXPECT_TRUE(rc::check([] {
    const ScheduleDag dag = random_dag(30);
    const std::vector<HeldTensor> tensors = random_results(dag);
    const MemoryOrder found = least_memory_order(dag, tensors, 2);
    RC_ASSERT(is_topological(dag, found.order));
    RC_ASSERT(found.peak == peak_of(dag, tensors, found.order));
    RC_ASSERT(found.peak >= least_memory_order(dag, tensors).peak);
  }));
}

// Renamings, transposes and concatenations in place, results in cluster memory and in groups.
TEST(MemoryOrder, CountsWhatPlansNeed) {
  for (const char* network : {"two_blocks.yaml", "attention_512.onnx", "unet.onnx"})
    for (const char* file : {"quad_smp.yaml", "dual_cluster_cache.yaml"}) {
      const Graph graph = import_workload(std::string(TILEWRIGHT_SOURCE_DIR "/traces/") + network);
      const SchedulePart part = whole_part(graph, chip({file}), {.predict = false});
      const auto tensors = held_tensors(part);
      const NodeOrder imported = imported_order(part.dag);
      EXPECT_EQ(peak_of(part.dag, tensors, imported), peak_memory(plan_in_order(part, imported))) << network << file;
      const MemoryOrder found = least_memory_order(part.dag, tensors);
      EXPECT_LE(found.peak, peak_of(part.dag, tensors, imported));
    }
}

}  // namespace
}  // namespace tilewright::test
