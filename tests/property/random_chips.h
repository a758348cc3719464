// Random small chips: half of them of several cores, all topologies, every DRAM preset, both dataflows, with and
// without cluster memory.
#pragma once

#include <fmt/format.h>

#include <string>

#include "sim/base/error.h"
#include "sim/hw/config/dram_presets.h"
#include "sim/hw/config/read_hardware.h"
#include "tests/support/random_draws.h"

namespace tilewright::test {

// Whether some have clusters of two kinds, networks that add, or ports and memories that do not take everything.
enum class Variety { kAll, kAlike };

class RandomChips : public RandomDraws {
 public:
  explicit RandomChips(std::uint64_t seed, Variety variety = Variety::kAll) : RandomDraws(seed), variety_(variety) {}

  // The next that resolve() accepts.
  Hardware next() {
    for (;;) {
      const std::string text = header() + core() + cluster_memory() + network() + dram();
      try {
        return load_hardware_text(text, fmt::format("chip{}", number_));
      } catch (const UserError&) {  // e.g. more channels than the routers have seats for
      }
    }
  }

 private:
  std::string header() {
    const bool single = number_++ % 2 == 0;
    clusters_ = single ? 1 : one_of({1, 2, 3, 4});
    cores_ = single ? 1 : one_of({2, 3, 4});
    return fmt::format("name: chip{}\nclusters: {}\ncores_per_cluster: {}\n", number_, clusters(), cores_);
  }

  // Some chips of several clusters have two kinds of them.
  std::string clusters() {
    if (variety_ == Variety::kAlike || clusters_ == 1 || number_ % 3 == 0) return std::to_string(clusters_);
    const auto first = between(1, clusters_ - 1);
    return fmt::format(
        "\n  - {{count: {}}}\n  - {{count: {}, {}core: {{buffer_a_kib: {}, accumulator_kib: {}, matmul: {{rows: {}, "
        "columns: {}}}, vector: {{lanes: {}}}, dma: {{outstanding_requests: {}}}}}}}",
        first, clusters_ - first, one_of({"", "memory: false, "}), between(1, 64), between(1, 64), between(1, 32),
        between(1, 32), between(1, 32), one_of({4, 16, 64}));
  }

  std::string core() {
    std::string text = fmt::format("core:\n  frequency_mhz: {}\n", one_of({500, 940, 1000, 1500}));
    for (const char* buffer : {"buffer_a", "buffer_b", "accumulator"})
      text += fmt::format("  {}_kib: {}\n", buffer, between(1, 64));
    text += fmt::format(
        "  matmul: {{rows: {}, columns: {}, arrays: {}, dataflow: {}, overlap: {}, issue_cycles: {}, block_m: {}, "
        "block_n: {}, pack_kernel: {}, rate: {{fp32: 0.5, fp16: 1, bf16: 1, int8: 2}}}}\n",
        between(1, 32), between(1, 32), between(1, 3), one_of({"output_stationary", "weight_stationary"}),
        one_of({"none", "weights", "full"}), between(0, 8), between(1, 32), between(1, 32), one_of({"true", "false"}));
    text += fmt::format("  vector: {{lanes: {}, issue_cycles: {}, reduction_cycles: {}}}\n", between(1, 32),
                        between(0, 8), between(0, 8));
    text += fmt::format(
        "  dma: {{setup_cycles: {}, outstanding_requests: {}, request_bytes: {}, requests_per_cycle: {}, "
        "buffer_bytes_per_cycle: {}}}\n",
        between(0, 32), one_of({4, 16, 64}), one_of({64, 128, 256}), between(1, 2), one_of({16, 32, 64, 128}));
    text += fmt::format("  control: {{unit_queue: {}, signal_cycles: {}, launch_cycles: {}}}\n", between(2, 16),
                        between(0, 40), between(0, 100));
    return text;
  }

  std::string cluster_memory() {
    if (clusters_ * cores_ == 1 || between(0, 1) == 0) return "";
    return fmt::format(
        "cluster_memory: {{capacity_kib: {}, line_bytes: {}, ways: 8, addressed_ways: {}, banks: {}, latency_cycles: "
        "{}, bank_bytes_per_cycle: {}}}\n",
        one_of({64, 256}), one_of({64, 128, 256}), one_of({0, 4, 8}), one_of({2, 4, 8}), between(4, 20),
        one_of({16, 32, 64}));
  }

  std::string network() {
    channels_ = one_of({1, 2, 4, 8});
    const std::string topology = one_of<std::string>({"smp", "numa", "mesh", "ring", "simple"});
    std::string text = fmt::format("network: {{topology: {}, frequency_mhz: {}, flit_bytes: {}, ports_per_cluster: {}",
                                   topology, one_of({500, 1000, 2000}), one_of({16, 32, 64}), one_of({1, 2}));
    if (topology == "mesh") text += fmt::format(", columns: {}, rows: {}", between(1, 3), between(1, 3));
    if (topology == "ring") text += fmt::format(", routers: {}", between(1, 6));
    if (topology == "numa" || topology == "mesh" || topology == "ring")
      text += fmt::format(", channels_per_router: {}", one_of({1, 2, 8}));
    if (cores_ > 1 && number_ % 3 == 0) text += fmt::format(", combined_reads: {}", number_ % 4 == 0 ? 1 : 256);
    if (clusters_ * cores_ > 1 && number_ % 5 == 1)
      text += fmt::format(", multicast: {}, router: {{buffer_flits: 40}}", number_ % 4 == 2 ? 2 : 256) +
              reduction(topology);
    return text + queues(topology) + "}\n";
  }

  // Ports and memories that do not take everything at once.
  std::string queues(const std::string& topology) {
    if (variety_ == Variety::kAlike || topology == "simple") return "";
    std::string text;
    if (number_ % 7 == 3) text += fmt::format(", request_port: turn, port_queue: {}", number_ % 2 == 0 ? 1 : 16);
    if (number_ % 5 == 2)
      text += fmt::format(", memory_port: {{places: {}, buffer_flits: 17, order: {}}}", number_ % 2 == 0 ? 1 : 24,
                          number_ % 3 == 0 ? "arrival" : "lowest_channel");
    return text;
  }

  std::string reduction(const std::string& topology) {
    if (variety_ == Variety::kAlike || topology == "simple") return "";
    return fmt::format(", reduction: {}", number_ % 4 == 2 ? 1 : 8);
  }

  std::string dram() {
    const DramPreset& preset = dram_presets()[between(0, std::ssize(dram_presets()) - 1)];
    return fmt::format(
        "dram: {{preset: {}, channels: {}, regions: {}, channel_capacity_mib: 64, interleave_bytes: {}, "
        "interleave_hash: {}, controller_clocks: {}}}\n",
        preset.name, channels_, one_of({1, 1, clusters_}), one_of({128, 256, 1024}), one_of({"false", "false", "true"}),
        between(0, 30));
  }

  const Variety variety_;
  int number_ = 0, clusters_ = 1, cores_ = 1, channels_ = 1;
};

}  // namespace tilewright::test
