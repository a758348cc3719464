// Attention as an operator of its own, beside its definition in loops.
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "sim/base/error.h"
#include "tests/unit/planner/import/onnx_text.h"

namespace tilewright {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::ThrowsMessage;

struct Sizes {
  std::int64_t batch = 2, heads = 4, key_heads = 2, queries = 3, keys = 3, depth = 5, width = 4;
};

std::vector<double> drawn(std::int64_t count, unsigned seed) {
  std::mt19937 dice(seed);
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(dice() % 2001) / 1000 - 1);
  return values;
}

Given operands(const Sizes& s) {
  return {{"q", drawn(s.batch * s.heads * s.queries * s.depth, 1)},
          {"k", drawn(s.batch * s.key_heads * s.keys * s.depth, 2)},
          {"v", drawn(s.batch * s.key_heads * s.keys * s.width, 3)}};
}

// [batch, heads, queries, width]; `bias(b, h, i, j)` is added to a score.
template <typename Bias>
std::vector<double> defined(const Sizes& s, const Given& values, double scale, double softcap, Bias bias) {
  const auto &q = values.at("q"), &k = values.at("k"), &v = values.at("v");
  std::vector<double> result;
  for (std::int64_t b = 0; b < s.batch; ++b)
    for (std::int64_t h = 0; h < s.heads; ++h)
      for (std::int64_t i = 0; i < s.queries; ++i) {
        const std::int64_t key_head = b * s.key_heads + h / (s.heads / s.key_heads);
        std::vector<double> weights;
        double sum = 0;
        for (std::int64_t j = 0; j < s.keys; ++j) {
          double score = 0;
          for (std::int64_t d = 0; d < s.depth; ++d)
            score += q[((b * s.heads + h) * s.queries + i) * s.depth + d] * k[(key_head * s.keys + j) * s.depth + d];
          score *= scale;
          if (softcap > 0) score = softcap * std::tanh(score / softcap);
          weights.push_back(std::exp(score + bias(b, h, i, j)));
          sum += weights.back();
        }
        for (std::int64_t w = 0; w < s.width; ++w) {
          double total = 0;
          for (std::int64_t j = 0; j < s.keys; ++j)
            total += weights[j] / sum * v[(key_head * s.keys + j) * s.width + w];
          result.push_back(total);
        }
      }
  return result;
}

const auto kNoBias = [](auto...) { return 0.0; };

TextModel attention(const Sizes& s, const std::vector<std::string>& inputs, const std::string& attributes) {
  return {node("Attention", inputs, attributes),
          {{"q", {s.batch, s.heads, s.queries, s.depth}},
           {"k", {s.batch, s.key_heads, s.keys, s.depth}},
           {"v", {s.batch, s.key_heads, s.keys, s.width}}},
          {},
          {"y"},
          23};
}

auto exactly(const std::vector<double>& expected) { return Pointwise(DoubleNear(1e-9), expected); }

TEST(OnnxAttention, HeadsShareKeysAndValues) {
  for (const std::int64_t key_heads : {1, 2, 4}) {
    const Sizes s{.key_heads = key_heads, .keys = 6};
    EXPECT_THAT(computed(attention(s, {"q", "k", "v"}, ""), operands(s)),
                exactly(defined(s, operands(s), 1 / std::sqrt(5.0), 0, kNoBias)));
    EXPECT_THAT(computed(attention(s, {"q", "k", "v"}, number("scale", 0.25) + number("softcap", 0.5)), operands(s)),
                exactly(defined(s, operands(s), 0.25, 0.5, kNoBias)));
  }
}

TEST(OnnxAttention, AQueryDoesNotSeeLaterKeys) {
  for (const std::int64_t keys : {3, 7}) {
    const Sizes s{.keys = keys};
    EXPECT_THAT(computed(attention(s, {"q", "k", "v"}, integer("is_causal", 1)), operands(s)),
                exactly(defined(s, operands(s), 1 / std::sqrt(5.0), 0,
                                [](auto, auto, std::int64_t i, std::int64_t j) { return j <= i ? 0 : -1e9; })));
  }
}

TEST(OnnxAttention, MasksAreBroadcast) {
  const Sizes s{.keys = 6};
  const std::vector<std::int64_t> whole = {s.batch, s.heads, s.queries, s.keys};
  for (const Shape& shape : {Shape{s.queries, s.keys}, Shape{1, 1, 1, s.keys}, Shape{s.batch, 1, s.queries, s.keys},
                             Shape{s.heads, s.queries, s.keys}, Shape{s.batch, s.heads, s.queries, s.keys}}) {
    TextModel model = attention(s, {"q", "k", "v", "m"}, "");
    model.inputs.emplace_back("m", shape);
    Given values = operands(s);
    values["m"] = drawn(element_count(shape), 4);
    const auto bias = [&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
      const std::array<std::int64_t, 4> at{b, h, i, j};
      std::int64_t place = 0;
      for (std::size_t d = 0; d < shape.size(); ++d)
        place = place * shape[d] + (shape[d] > 1 ? at[4 - shape.size() + d] : 0);
      return values["m"][place];
    };
    EXPECT_THAT(computed(model, values), exactly(defined(s, values, 1 / std::sqrt(5.0), 0, bias))) << to_string(shape);
  }
}

TEST(OnnxAttention, HeadsMayLieSideBySide) {
  const Sizes s{.batch = 1, .heads = 2, .key_heads = 2};
  TextModel model{node("Attention", {"q", "k", "v"}, integer("q_num_heads", 2) + integer("kv_num_heads", 2)),
                  {{"q", {1, 3, 10}}, {"k", {1, 3, 10}}, {"v", {1, 3, 8}}},
                  {},
                  {"y"},
                  23};
  const Given values = operands(s);
  const auto side_by_side = [](const std::vector<double>& x, std::int64_t tokens, std::int64_t width) {
    std::vector<double> moved;
    for (std::int64_t t = 0; t < tokens; ++t)
      for (std::int64_t h = 0; h < 2; ++h)
        for (std::int64_t w = 0; w < width; ++w) moved.push_back(x[(h * tokens + t) * width + w]);
    return moved;
  };
  const Given moved{{"q", side_by_side(values.at("q"), 3, 5)},
                    {"k", side_by_side(values.at("k"), 3, 5)},
                    {"v", side_by_side(values.at("v"), 3, 4)}};
  EXPECT_THAT(computed(model, moved), exactly(side_by_side(defined(s, values, 1 / std::sqrt(5.0), 0, kNoBias), 3, 4)));
}

TEST(OnnxAttention, WhatVersionsDisagreeAboutIsRefused) {
  const Sizes s;
  EXPECT_THAT(
      [&] {
        import_text(attention(s, {"q", "k", "v"}, integer("is_causal", 1) + number("softcap", 9)));
      },
      ThrowsMessage<UserError>(HasSubstr("softcap with a mask is not supported")));
  Sizes other = s;
  other.key_heads = 3;
  EXPECT_THAT(
      [&] {
        import_text(attention(other, {"q", "k", "v"}, ""));
      },
      ThrowsMessage<UserError>(HasSubstr("query, key and value have shapes 2x4x3x5, 2x3x3x5 and 2x3x3x4")));
}

}  // namespace
}  // namespace tilewright
