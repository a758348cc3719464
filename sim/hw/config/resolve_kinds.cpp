// Clusters that differ, and what all of them have.
#include <algorithm>

#include "sim/hw/config/kind_keys.h"
#include "sim/hw/config/resolve_parts.h"

namespace tilewright {
namespace {

constexpr int kMaxClusters = 1024;

void reject_common_keys(const std::string& path, Checker& check) {
  for (const std::string_view key : kKeysOfAllCores)
    if (const std::string own = fmt::format("{}.{}", path, key); check.written(own))
      check.problem(own, "is the same for all clusters of a chip");
}

ClusterKind resolve_kind(const ClusterKindConfig& c, const std::string& path, const DramSpec& dram, Checker& check) {
  reject_common_keys(path, check);
  if (!c.count) check.problem(path + ".count", "missing, expected 1 to 1024");
  ClusterKind kind;
  kind.clusters = c.count.value_or(1);
  check.look_within(path);
  kind.core = resolve_core(c.core, check);
  check_request("core.dma.request_bytes", kind.core.dma.request_bytes, dram, check);
  const bool excluded = c.memory && !*c.memory;
  if (excluded && check.written(path + ".cluster_memory"))
    check.problem(path + ".memory", "got 'false', but these clusters have a cluster_memory of their own");
  if (c.memory.value_or(false) && !c.cluster_memory.present)
    check.problem(path + ".memory", "got 'true', but neither these clusters nor the chip have a cluster_memory");
  if (!excluded && c.cluster_memory.present) {
    kind.memory = resolve_cluster_memory(c.cluster_memory, check);
    check_request("cluster_memory.line_bytes", kind.memory->line_bytes, dram, check);
  }
  check.look_within("");
  return kind;
}

CoreSpec common_core(const std::vector<ClusterKind>& kinds) {
  CoreSpec common = kinds.front().core;
  for (const auto& [clusters, core, memory] : kinds) {
    common.buffer_a = std::min(common.buffer_a, core.buffer_a);
    common.buffer_b = std::min(common.buffer_b, core.buffer_b);
    common.accumulator = std::min(common.accumulator, core.accumulator);
    if (core.matmul.cells() < common.matmul.cells()) common.matmul = core.matmul;
    if (core.vector.lanes < common.vector.lanes) common.vector = core.vector;
    if (core.dma.outstanding_requests * core.dma.request_bytes <
        common.dma.outstanding_requests * common.dma.request_bytes)
      common.dma = core.dma;
  }
  for (int type = 0; type < kDataTypeCount; ++type)  // what some array does not multiply no plan may
    for (const ClusterKind& kind : kinds)
      if (kind.core.matmul.rate[type] == 0) common.matmul.rate[type] = 0;
  return common;
}

std::optional<ClusterMemorySpec> common_memory(const std::vector<ClusterKind>& kinds) {
  std::optional<ClusterMemorySpec> common = kinds.front().memory;
  for (const ClusterKind& kind : kinds) {
    if (!kind.memory) return {};
    if (kind.memory->addressed_capacity() < common->addressed_capacity()) common = kind.memory;
  }
  return common;
}

}  // namespace

void count_on_what_all_have(Hardware& hw) {
  hw.core = common_core(hw.kinds);
  hw.cluster_memory = common_memory(hw.kinds);
}

void resolve_kinds(const HardwareConfig& c, const DramSpec& dram, Hardware& hw, Checker& check) {
  int clusters = 0;
  for (std::size_t i = 0; i < c.kinds.size(); ++i) {
    hw.kinds.push_back(resolve_kind(c.kinds[i], fmt::format("clusters[{}]", i), dram, check));
    clusters += hw.kinds.back().clusters;
  }
  if (clusters > kMaxClusters)
    check.problem("clusters", fmt::format("got {} in all, expected 1 to {}", clusters, kMaxClusters));
  hw.clusters = std::min(clusters, kMaxClusters);
  count_on_what_all_have(hw);
  for (const auto& [buffer, capacity, block] : needs_of(hw.core))
    if (capacity < 2 * block)
      check.problem("clusters", fmt::format("the smallest {} of all kinds is {}, two blocks of the smallest array take "
                                            "{}: a plan has to fit every core",
                                            buffer, capacity / 1024, ceil_div<Bytes>(2 * block, 1024)));
  if (hw.kinds.size() == 1) hw.kinds.clear();
}

}  // namespace tilewright
