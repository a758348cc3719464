// Programs whose cores talk to each other: their sums and products are right, and they take what the network allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "planner/emit/communication/all_reduce.h"
#include "planner/emit/communication/broadcast.h"
#include "planner/emit/communication/dataflow_chain.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/text.h"
#include "sim/session.h"

namespace tilewright {
namespace {

Hardware mesh_16() { return load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/mesh_16.yaml"); }

std::vector<float> floats_of(const std::vector<std::byte>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

float bf16(float value) {
  std::byte bytes[2];
  store_element(bytes, DataType::kBf16, value);
  return static_cast<float>(load_element(bytes, DataType::kBf16));
}

std::vector<std::byte> bf16_bytes(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * 2);
  for (std::size_t i = 0; i < values.size(); ++i) store_element(&bytes[2 * i], DataType::kBf16, values[i]);
  return bytes;
}

// Whole numbers from -`most` to `most`.
std::vector<float> draw(std::mt19937& random, std::int64_t count, int most) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values)
    value = static_cast<float>(static_cast<int>(random() % static_cast<unsigned>(2 * most + 1)) - most);
  return values;
}

// Rows x width by width x width, rounded to bf16. Sums of few small whole numbers are exact.
std::vector<float> product(const std::vector<float>& x, const std::vector<float>& w, std::int64_t rows,
                           std::int64_t width) {
  std::vector<float> y(x.size());
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < width; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < width; ++k)
        sum += x[static_cast<std::size_t>(i * width + k)] * w[static_cast<std::size_t>(k * width + j)];
      y[static_cast<std::size_t>(i * width + j)] = bf16(sum);
    }
  return y;
}

// Whole numbers, so that sums are exact in every order.
RunOptions whole_numbers(std::int64_t count) {
  std::mt19937 random(7);
  const std::vector<float> values = draw(random, count, 1000);
  RunOptions options;
  options.values = true;
  options.initial = {{"in", std::vector<std::byte>(values.size() * sizeof(float))}};
  std::memcpy(options.initial[0].bytes.data(), values.data(), options.initial[0].bytes.size());
  options.keep = {"out"};
  return options;
}

void expect_sums(Session& session, const AllReduceJob& job) {
  const std::int64_t n = std::ssize(job.cores), elements = job.bytes / 4;
  const RunOptions options = whole_numbers(n * elements);
  const RunResult result = session.run(all_reduce_program(session.hardware(), job), options);
  const std::vector<float> in = floats_of(options.initial[0].bytes), out = floats_of(result.kept[0].bytes);
  for (std::int64_t element = 0; element < elements; ++element) {
    float sum = 0;
    for (std::int64_t rank = 0; rank < n; ++rank) sum += in[static_cast<std::size_t>(rank * elements + element)];
    for (std::int64_t rank = 0; rank < n; ++rank)
      ASSERT_EQ(out[static_cast<std::size_t>(rank * elements + element)], sum) << element << " of " << rank;
  }
}

TEST(HandOver, TheExampleGivesTheProductOfBoth) {
  Session session(load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/dual_cluster.yaml"));
  const Program program = load_program(TILEWRIGHT_SOURCE_DIR "/examples/hand_over.tw");
  std::mt19937 random(3);
  const std::vector<float> x = draw(random, 64 * 64, 3), v = draw(random, 64 * 64, 1), w = draw(random, 64 * 64, 1);
  RunOptions options;
  options.values = true;
  options.initial = {{"x", bf16_bytes(x)}, {"v", bf16_bytes(v)}, {"w", bf16_bytes(w)}};
  options.keep = {"z"};
  const RunResult result = session.run(program, options);
  EXPECT_EQ(result.kept[0].bytes, bf16_bytes(product(product(x, v, 64, 64), w, 64, 64)));
  EXPECT_EQ(result.statistics.at("memory.peer_write_bytes"), 64 * 64 * 2);
  EXPECT_EQ(result.statistics.at("memory.write_bytes"), 64 * 64 * 2);
}

TEST(AllReduce, EveryCoreEndsWithTheSum) {
  Session session(mesh_16());
  for (const AllReduce algorithm : {AllReduce::kRing, AllReduce::kTree, AllReduce::kNaive})
    for (const std::vector<int>& cores : {std::vector{3, 9},
                                          {0, 1, 5, 4},
                                          {2, 7, 15},
                                          {0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10},
                                          {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}})
      for (const auto& [bytes, piece] : {std::pair<Bytes, Bytes>{64, 32}, {4 * 1003, 128}, {40000, 4096}})
        expect_sums(session, {algorithm, bytes, cores, piece});
}

// Core cycles of operator "all-reduce".
double cycles_of(const RunResult& result, const Hardware& hardware) {
  return static_cast<double>(result.operators[2].end - result.operators[2].begin) /
         static_cast<double>(hardware.core_clock.period_ps);
}

Hardware adding_mesh() {
  Hardware hardware = mesh_16();
  std::string text = to_yaml(hardware);
  text.replace(text.find("\nnetwork:"), 9, "\nnetwork:\n  multicast: 256\n  reduction: 16");
  return load_hardware_text(text, "adding_mesh");
}

TEST(AllReduce, TheNetworkAdds) {
  Session session(adding_mesh());
  for (const std::vector<int>& cores : {std::vector{3, 9},
                                        {0, 1, 5, 4},
                                        {15, 7, 11},
                                        {0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11},
                                        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}})
    for (const auto& [bytes, piece] : {std::pair<Bytes, Bytes>{64, 32}, {4 * 1003, 128}, {40000, 4096}})
      expect_sums(session, {AllReduce::kNetwork, bytes, cores, piece});
}

// docs/communication.md has the figures.
TEST(AllReduce, ShortVectorsTakeTheNetworkAThirdOfTheRingsTime) {
  Session session(adding_mesh());
  const std::vector<int> sixteen{0, 1, 2, 3, 7, 6, 5, 9, 10, 11, 15, 14, 13, 12, 8, 4};
  const auto cycles = [&](AllReduce algorithm, Bytes bytes) {
    const AllReduceJob job{algorithm, bytes, sixteen, {}, false};
    return cycles_of(session.run(all_reduce_program(session.hardware(), job)), session.hardware());
  };
  EXPECT_LT(3 * cycles(AllReduce::kNetwork, 1024), cycles(AllReduce::kRing, 1024));
  EXPECT_LT(cycles(AllReduce::kNetwork, 65536), cycles(AllReduce::kRing, 65536));
}

// Staging areas are used again and again: the vector is as long as the buffers.
TEST(AllReduce, AVectorAsLongAsTheBuffers) {
  Session session(mesh_16());
  const Bytes all = session.hardware().core.buffer_a;
  expect_sums(session, {AllReduce::kTree, all, {0, 1, 5, 4}, 65536});
  expect_sums(session, {AllReduce::kRing, all, {0, 1, 5, 4}, 65536});
  EXPECT_THROW(all_reduce_program(session.hardware(), {AllReduce::kRing, all + 4, {0, 1}, 65536}), UserError);
}

// docs/communication.md has the figures.
TEST(AllReduce, TheRingComesNearTheBoundAndTheOthersDoNot) {
  Session session(mesh_16());
  const Hardware& hardware = session.hardware();
  const std::vector<int> four{0, 1, 5, 4}, sixteen{0, 1, 2, 3, 7, 6, 5, 9, 10, 11, 15, 14, 13, 12, 8, 4};
  for (const std::vector<int>& cores : {four, sixteen}) {
    const auto ratio = [&](AllReduce algorithm) {
      const AllReduceJob job{algorithm, 1 << 20, cores, 16384, false};
      return cycles_of(session.run(all_reduce_program(hardware, job)), hardware) / all_reduce_bound(hardware, job);
    };
    const double ring = ratio(AllReduce::kRing), tree = ratio(AllReduce::kTree), naive = ratio(AllReduce::kNaive);
    EXPECT_GE(ring, 9.0 / 8) << "a flit of header for eight of data";
    EXPECT_LE(ring, 1.4);
    EXPECT_GT(tree, ring);
    EXPECT_GT(naive, cores.size() == 4 ? ring : tree);
  }
}

TEST(AllReduce, WhatCannotBe) {
  const Hardware hardware = mesh_16();
  const auto message = [&](const AllReduceJob& job) -> std::string {
    try {
      all_reduce_program(hardware, job);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({AllReduce::kRing, 1024, {0}}), "cores: got 1, expected 2 or more");
  EXPECT_EQ(message({AllReduce::kRing, 1024, {0, 1, 0}}), "cores: a core is named twice");
  EXPECT_EQ(message({AllReduce::kRing, 1024, {0, 16}}), "cores: got 16, the chip has cores 0 to 15");
  EXPECT_EQ(message({AllReduce::kNetwork, 1024, {0, 1}}), "network.reduction: the network of 'mesh_16' adds nothing");
  EXPECT_EQ(message({AllReduce::kTree, 8, {0, 1}}), "");
  EXPECT_EQ(message({AllReduce::kTree, 4, {0, 1}}),
            "bytes: got 4, expected a multiple of 4 from 8 to 1048576, what the buffers hold");
  EXPECT_EQ(message({AllReduce::kTree, 1024, {0, 1}, 2}), "piece: got 2 bytes, expected a multiple of 4");
}

TEST(Broadcast, EveryCoreEndsWithTheBytes) {
  Session session(mesh_16());
  std::mt19937 random(5);
  for (const Broadcast algorithm : {Broadcast::kLoads, Broadcast::kChain, Broadcast::kTree, Broadcast::kRotate})
    for (const std::vector<int>& cores :
         {std::vector{6, 2}, {0, 1, 5, 4, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}})
      for (const Bytes bytes : {16, 1001, 20000})
        for (const Bytes piece : {500, 4096}) {
          RunOptions options;
          options.values = true;
          options.initial = {{"in", std::vector<std::byte>(static_cast<std::size_t>(bytes))}};
          for (std::byte& byte : options.initial[0].bytes) byte = static_cast<std::byte>(random());
          options.keep = {"out"};
          const Program program = broadcast_program(session.hardware(), {algorithm, bytes, cores, piece, true});
          const RunResult result = session.run(program, options);
          for (std::size_t rank = 0; rank < cores.size(); ++rank)
            ASSERT_TRUE(std::equal(options.initial[0].bytes.begin(), options.initial[0].bytes.end(),
                                   result.kept[0].bytes.begin() + static_cast<std::ptrdiff_t>(rank) * bytes))
                << rank;
        }
}

// docs/communication.md has the figures.
TEST(Broadcast, HandingOnReadsDramOnceAndIsFasterThanSixteenLoads) {
  Session session(mesh_16());
  const std::vector<int> ring{0, 1, 2, 3, 7, 6, 5, 9, 10, 11, 15, 14, 13, 12, 8, 4};
  const auto run = [&](Broadcast algorithm) {
    return session.run(broadcast_program(session.hardware(), {algorithm, 1 << 20, ring}));
  };
  const RunResult loads = run(Broadcast::kLoads), rotate = run(Broadcast::kRotate), chain = run(Broadcast::kChain);
  EXPECT_GE(loads.statistics.at("memory.read_bytes"), 16 << 20);
  for (const RunResult* one : {&rotate, &chain}) {
    EXPECT_LT(one->statistics.at("memory.read_bytes"), (1 << 20) * 11 / 10);
    EXPECT_LT(cycles_of(*one, session.hardware()), cycles_of(loads, session.hardware()) * 0.8);
  }
}

TEST(Broadcast, WhatCannotBe) {
  const Hardware hardware = mesh_16();
  EXPECT_THROW(broadcast_program(hardware, {Broadcast::kChain, (1 << 20) + 1, {0, 1}}), UserError);
  EXPECT_THROW(broadcast_program(hardware, {Broadcast::kChain, 1, {0, 1}}), UserError);
  EXPECT_THROW(broadcast_program(hardware, {Broadcast::kChain, 64, {0}}), UserError);
  EXPECT_THROW(broadcast_program(hardware, {Broadcast::kChain, 64, {0, 1}, 0}), UserError);
}

TEST(DataflowChain, GivesTheProductsOfAllLayers) {
  Session session(mesh_16());
  for (const auto& [rows, block] : {std::pair{96, 16}, {40, 16}, {8, 64}}) {
    const std::int64_t width = 32;
    const DataflowChain chain{rows, width, block, {0, 1, 2, 3, 7, 6, 5}};
    std::mt19937 random(11);
    std::vector<float> y = draw(random, rows * width, 3);
    RunOptions options;
    options.values = true;
    options.initial = {{"x", bf16_bytes(y)}};
    for (int i = 0; i < 7; ++i) {
      const std::vector<float> w = draw(random, width * width, 1);
      options.initial.push_back({fmt::format("w{}", i), bf16_bytes(w)});
      y = product(y, w, rows, width);
      for (float& value : y) value = std::max(value, 0.0f);
    }
    options.keep = {"y"};
    const RunResult result = session.run(dataflow_chain_program(session.hardware(), chain), options);
    EXPECT_EQ(result.kept[0].bytes, bf16_bytes(y)) << rows;
  }
}

TEST(DataflowChain, DramSeesWeightsInputAndOutputOnly) {
  Session session(mesh_16());
  DataflowChain chain{1024, 512, 64, {0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11, 15, 14, 13, 12}};
  const Program program = dataflow_chain_program(session.hardware(), chain);
  const RunResult result = session.run(program);
  Bytes code = 0;
  for (const Segment& segment : program.segments)
    if (segment.kind == SegmentKind::kInstructions) code = segment.bytes;
  const double weights = 16.0 * 512 * 512 * 2, activations = 1024.0 * 512 * 2;
  EXPECT_GE(result.statistics.at("memory.read_bytes"), weights + activations);
  EXPECT_LE(result.statistics.at("memory.read_bytes"), weights + activations + static_cast<double>(code));
  EXPECT_EQ(result.statistics.at("memory.write_bytes"), activations);
  EXPECT_EQ(result.statistics.at("memory.peer_write_bytes"), 15 * activations);
}

TEST(DataflowChain, WhatCannotBe) {
  const Hardware hardware = mesh_16();
  EXPECT_THROW(dataflow_chain_program(hardware, {64, 1024, 64, {0}}), UserError);
  EXPECT_THROW(dataflow_chain_program(hardware, {64, 64, 0, {0}}), UserError);
  EXPECT_THROW(dataflow_chain_program(hardware, {64, 64, 16, {}}), UserError);
  EXPECT_THROW(dataflow_chain_program(hardware, {64, 64, 16, {0, 16}}), UserError);
}

}  // namespace
}  // namespace tilewright
