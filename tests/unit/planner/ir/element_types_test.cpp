// Which types operators take, and what is said of others.
#include "planner/ir/element_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace tilewright {
namespace {

using ::testing::ThrowsMessage;

// x [2, 2], and of two inputs w [2, 2], to y; the names of `integers` hold integers.
Plan plan_of(OpKind kind, const std::string& integers) {
  Plan plan;
  plan.hardware.name = "chip";
  plan.hardware.core.matmul.rate[static_cast<int>(DataType::kBf16)] = 1;
  const auto tensor = [&](const std::string& name, TensorKind as) {
    const bool whole = integers.find(name) != std::string::npos;
    return plan.graph.add_tensor({.name = name, .shape = {2, 2}, .kind = as, .is_index = whole});
  };
  Operator op{.name = "op", .kind = kind, .inputs = {tensor("x", TensorKind::kInput)}};
  if (max_inputs(kind) > 1) op.inputs.push_back(tensor("w", TensorKind::kConstant));
  op.output = tensor("y", TensorKind::kOutput);
  plan.order = {plan.graph.add_operator(std::move(op))};
  return plan;
}

void assign(OpKind kind, const std::string& integers) {
  Plan plan = plan_of(kind, integers);
  assign_types(plan);
}

TEST(ElementTypes, AProductsOperandsHaveOneType) {
  EXPECT_NO_THROW(assign(OpKind::kMatMul, ""));
  EXPECT_THAT([] { assign(OpKind::kMatMul, "w"); },
              ThrowsMessage<UserError>("operator 'op' (MatMul): input 'w' holds int32, expected bf16 as the first"));
  EXPECT_THAT(
      [] { assign(OpKind::kMatMul, "x"); },
      ThrowsMessage<UserError>(
          "operator 'op' (MatMul): the matmul unit of 'chip' does not multiply int32: core.matmul.rate.int32 is 0"));
  EXPECT_THROW(assign(OpKind::kConv, "w"), UserError);
}

TEST(ElementTypes, WhatIsNoIntegerComesOfFloats) {
  for (const OpKind kind : {OpKind::kSoftmax, OpKind::kSqrt, OpKind::kLayerNorm}) {
    EXPECT_NO_THROW(assign(kind, "w")) << name_of(kind);
    EXPECT_NO_THROW(assign(kind, "x")) << name_of(kind) << ", converted";
    EXPECT_THROW(assign(kind, "xy"), UserError) << name_of(kind);
  }
  EXPECT_NO_THROW(assign(OpKind::kRelu, "xy"));
  EXPECT_THROW(assign(OpKind::kReduceMean, "xy"), UserError);
  EXPECT_THAT([] { assign(OpKind::kErf, "xy"); },
              ThrowsMessage<UserError>("operator 'op' (Erf): its result 'y' holds integers, expected floats"));
}

TEST(ElementTypes, IntegersComeOfIntegers) {
  for (const OpKind kind : {OpKind::kAdd, OpKind::kMax, OpKind::kDiv, OpKind::kConcat}) {
    EXPECT_NO_THROW(assign(kind, "")) << name_of(kind);
    EXPECT_NO_THROW(assign(kind, "xwy")) << name_of(kind);
    EXPECT_THROW(assign(kind, "xy"), UserError) << name_of(kind);
  }
  EXPECT_NO_THROW(assign(OpKind::kAdd, "w")) << "of both in floats";
  EXPECT_NO_THROW(assign(OpKind::kEqual, "xy")) << "truth";
  EXPECT_THAT([] { assign(OpKind::kAdd, "xy"); },
              ThrowsMessage<UserError>("operator 'op' (Add): its result 'y' holds integers, its input 'w' floats"));
  EXPECT_THAT([] { assign(OpKind::kConcat, "w"); },
              ThrowsMessage<UserError>("operator 'op' (Concat): its result 'y' holds floats, its input 'w' integers"));
}

}  // namespace
}  // namespace tilewright
