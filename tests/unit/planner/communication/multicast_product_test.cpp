#include "planner/emit/communication/multicast_product.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/session.h"

namespace tilewright {
namespace {

using ::testing::HasSubstr;

// Two rows of three cores; one tile is 256 bytes.
Hardware six_cores() {
  return load_hardware_text(R"(
name: six
clusters: 1
cores_per_cluster: 6
core:
  frequency_mhz: 1000
  buffer_a_kib: 64
  buffer_b_kib: 64
  accumulator_kib: 64
  matmul: {rows: 32, columns: 32, dataflow: output_stationary, rate: {bf16: 2}}
  vector: {lanes: 32}
network: {topology: crossbar, ports_per_cluster: 8, combined_reads: 1024}
dram: {preset: HBM2_2000, channels: 2}
)",
                            "six");
}

MulticastProduct small_product() {
  return {.rows = 2,
          .columns = 3,
          .core_m = 2,
          .core_n = 4,
          .block_m = 2,
          .block_n = 2,
          .block_k = 1,
          .k = 6,
          .tile_bytes = 256};
}

RunResult run(Session& session, const MulticastProduct& product) {
  return session.run(multicast_product_program(session.hardware(), "product", product, product.blocks()));
}

double dram_bytes(const RunResult& result) { return result.statistics.at("memory.read_bytes"); }

// A: 4 x 6 tiles, B: 6 x 12 tiles, A once for each of the two blocks of a core. The rest are instructions.
TEST(MulticastProduct, OperandsLeaveTheMemoryOnce) {
  Session session(six_cores());
  const RunResult result = run(session, small_product());
  const double operands = 256.0 * (2 * 4 * 6 + 6 * 12);
  EXPECT_GE(dram_bytes(result), operands);
  MulticastProduct kept = small_product();
  kept.a_in_cores = true;
  EXPECT_NEAR(dram_bytes(result) - dram_bytes(run(session, kept)), 256.0 * 2 * 4 * 6, 6000)
      << "beside the instructions that read A";
}

TEST(MulticastProduct, ReceiversShareOneAnswer) {
  Session session(six_cores());
  const RunResult result = run(session, small_product());
  // 12 steps: a tile row of A (2 tiles) for two receivers of each of two rows, of whom one joins; B has one receiver.
  EXPECT_EQ(result.statistics.at("cluster0.combined_bytes"), 12 * 2 * 2 * 256);
}

TEST(MulticastProduct, TakesTheLongerOfProductsAndOperands) {
  MulticastProduct product = small_product();
  product.cycles_per_tile = 2000;
  Session session(six_cores());
  const double cycles = static_cast<double>(run(session, product).time) / 1000;
  const double products = 2 * 6 * (2 * 2) * 2000.0;
  EXPECT_GT(cycles, products);
  EXPECT_LT(cycles, 1.1 * products);
}

TEST(MulticastProduct, WhatDoesNotDivideOrFitIsToldAsSuch) {
  const auto message = [](const MulticastProduct& product) -> std::string {
    try {
      multicast_product_program(six_cores(), "product", product, 1);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  MulticastProduct product = small_product();
  product.block_k = 4;
  EXPECT_THAT(message(product), HasSubstr("k: 6 tiles are no multiple of 4"));
  product = small_product();
  product.rows = 4;
  EXPECT_THAT(message(product), HasSubstr("six: has 6 cores, expected 4 x 3"));
  product = small_product();
  product.tile_bytes = 40000;
  EXPECT_THAT(message(product), HasSubstr("six: A take"));
}

}  // namespace
}  // namespace tilewright
