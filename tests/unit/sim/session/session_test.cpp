#include "sim/session.h"

#include <gtest/gtest.h>

#include <cstring>

#include "sim/base/error.h"
#include "sim/hw/resolve.h"
#include "tests/support/gemm_program.h"

namespace tilewright {
namespace {

using testing_support::GemmProgram;
using testing_support::GemmShape;

Hardware chip(const std::string& name) {
  return load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/" + name + ".yaml");
}

std::vector<std::byte> bf16_values(std::int64_t count, int seed) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(2 * count));
  for (std::int64_t i = 0; i < count; ++i) {
    store_element(&bytes[static_cast<std::size_t>(2 * i)], DataType::kBf16,
                  static_cast<double>((i * 7 + seed) % 13 - 6));
  }
  return bytes;
}

double value_at(const std::vector<std::byte>& bytes, std::int64_t index) {
  return load_element(&bytes[static_cast<std::size_t>(2 * index)], DataType::kBf16);
}

RunOptions with_values(const GemmShape& shape) {
  RunOptions options;
  options.values = true;
  options.initial = {{"a", bf16_values(shape.m * shape.k, 1)}, {"b", bf16_values(shape.k * shape.n, 5)}};
  options.keep = {"c"};
  return options;
}

TEST(Session, RunsAGemm) {
  const Hardware hardware = chip("edge_single");
  Session session(hardware);
  const RunResult result = session.run(GemmProgram(hardware, {}).make());
  EXPECT_GE(result.time, hardware.core_clock.to_ps(256 * 256)) << "256^3 multiply-adds on 16 x 16";
  EXPECT_EQ(result.operators[1].events[static_cast<int>(Event::kMacFp16)], 256 * 256 * 256);
  EXPECT_EQ(result.operators[1].end, result.time);
}

TEST(Session, ComputesTheProduct) {
  const Hardware hardware = chip("edge_single");
  const GemmShape shape{64, 96, 40, 32, 32};
  Session session(hardware);
  const RunOptions options = with_values(shape);
  const RunResult result = session.run(GemmProgram(hardware, shape).make(), options);
  const auto &a = options.initial[0].bytes, &b = options.initial[1].bytes, &c = result.kept.at(0).bytes;
  for (std::int64_t i = 0; i < shape.m; ++i) {
    for (std::int64_t j = 0; j < shape.n; ++j) {
      double sum = 0;
      for (std::int64_t p = 0; p < shape.k; ++p) sum += value_at(a, i * shape.k + p) * value_at(b, p * shape.n + j);
      ASSERT_EQ(value_at(c, i * shape.n + j), round_to(DataType::kBf16, sum)) << i << "," << j;
    }
  }
}

TEST(Session, GivesTheSameResultEveryTimeWithAndWithoutValues) {
  const Hardware hardware = chip("edge_single");
  Session session(hardware);
  const Program program = GemmProgram(hardware, {}).make();
  const RunResult first = session.run(program);
  const RunResult second = session.run(program, with_values({}));
  const RunResult third = session.run(program);
  EXPECT_EQ(first.time, second.time);
  EXPECT_EQ(first.time, third.time);
  EXPECT_EQ(first.statistics, second.statistics);
  EXPECT_EQ(first.statistics, third.statistics);
}

}  // namespace
}  // namespace tilewright
