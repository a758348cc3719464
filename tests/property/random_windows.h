// Random depthwise and grouped convolutions, values and bounds as in random_plans.h: strides, dilations, paddings that
// differ on every side, channel multipliers, one image and several, inputs that just fit buffer B and just do not;
// chips on which the arrays and those on which the vector units are faster, and arrays that take several images at a
// time.
#pragma once

#include "tests/property/random_plans.h"

namespace tilewright::test {

class RandomWindows : public RandomPlans {
 public:
  RandomWindows(std::uint64_t seed, int chips) : RandomPlans(seed, drawn(seed, chips)) {}

  void run(int cases) {
    for (int i = 0; i < cases; ++i) {
      Session& session = *sessions_[i % sessions_.size()];
      const DataType type = random_type();
      const Graph graph = random_windows(session.hardware(), type);
      run_case(session, graph, type);
      if (const auto plan = planned(graph, session.hardware(), {.type = type})) count(*plan);
    }
    EXPECT_GT(2 * planned_, cases);
    EXPECT_GT(16 * on_vector_, cases) << "the vector units have nothing to do";
    EXPECT_GT(16 * on_array_, cases) << "the arrays have nothing to do";
  }

 private:
  // Chips of random_chip() with few and with many lanes, in turns.
  class Chips : public RandomPlans {
   public:
    explicit Chips(std::uint64_t seed) : RandomPlans(seed, std::vector<Hardware>{}) {}
    Hardware next(bool many_lanes) {
      Hardware chip = random_chip();
      const int granule = one_of({1, 1, 4, 8}), lanes = many_lanes ? one_of({16, 64, 512}) : one_of({1, 2, 7});
      const int passes = static_cast<int>(between(1, 3)), reduction = one_of({0, 0, 18});
      const auto draw_into = [&](CoreSpec& core) {
        core.matmul.image_granule = granule;
        core.vector.lanes = lanes, core.vector.simple_passes = passes, core.vector.reduction_cycles = reduction;
      };
      draw_into(chip.core);
      for (ClusterKind& kind : chip.kinds) draw_into(kind.core);
      return chip;
    }
  };
  static std::vector<Hardware> drawn(std::uint64_t seed, int count) {
    std::vector<Hardware> chips;
    for (Chips random(seed); std::ssize(chips) < count;) chips.push_back(random.next(std::ssize(chips) % 2 == 1));
    return chips;
  }

  Graph random_windows(const Hardware& hardware, DataType type) {
    Graph graph;
    Operator op{.name = "conv", .kind = OpKind::kConv};
    const std::int64_t groups = one_of<std::int64_t>({1, 2, 3, 8, 17, 33}), kh = between(1, 5), kw = between(1, 5);
    const std::int64_t deep = one_of<std::int64_t>({1, 1, 1, 2, 5}), rows = one_of<std::int64_t>({1, 1, 1, 2, 3});
    Attributes& a = op.attributes;
    a.groups = groups;
    a.strides = {between(1, 3), between(1, 3)};
    a.dilations = {between(1, 2), between(1, 2)};
    a.pads = {between(0, kh + 1), between(0, kw + 1), between(0, kh + 1), between(0, kw + 1)};
    Shape x{between(1, 3), groups * deep, between(9, 20), between(9, 20)};
    // A channel with its padding, twice, is all of buffer B, one row less, one row more.
    if (between(0, 1) == 0) {
      const std::int64_t padded = x[3] + a.pads[1] + a.pads[3];
      const std::int64_t rows_that_fit = hardware.core.buffer_b / (2 * bytes_of(type) * padded * deep);
      x[2] = std::clamp<std::int64_t>(rows_that_fit - a.pads[0] - a.pads[2] + between(-1, 1), 9, 64);
    }
    op.inputs = {add(graph, "x", x, TensorKind::kInput),
                 add(graph, "w", {groups * rows, deep, kh, kw}, TensorKind::kConstant)};
    if (between(0, 1) == 0) op.inputs.push_back(add(graph, "bias", {groups * rows}, TensorKind::kConstant));
    return finish(std::move(graph), std::move(op), type != DataType::kInt8 && between(0, 1) == 0);
  }

  void count(const Plan& plan) {
    bool array = false;
    for (const CoreProgram& core : plan.program.cores)
      for (const Instruction& instruction : core.instructions)
        array |= std::holds_alternative<Matmul>(instruction.payload);
    ++(array ? on_array_ : on_vector_);
  }

  int on_vector_ = 0, on_array_ = 0;
};

}  // namespace tilewright::test
