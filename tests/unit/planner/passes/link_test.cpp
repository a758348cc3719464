#include "planner/passes/link/link.h"

#include <gtest/gtest.h>

#include "planner/emit/hazard_linker.h"
#include "planner/passes/link/link_areas.h"
#include "sim/isa/verify/verify.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

constexpr Address kInput = 0, kOutput = 4096, kCode = 8192;

Instruction transfer(Unit unit, Box source, Box target) {
  source.stride[4] = target.stride[4] = 2;
  const TransferKind kind = unit == Unit::kLoad ? TransferKind::kLoad : TransferKind::kStore;
  return {unit, 0, {}, {}, Transfer{.kind = kind, .shape = {1, 1, 1, 1, 64}, .source = source, .target = target}};
}
Instruction load(Address from, Address to) {
  return transfer(Unit::kLoad, {Space::kDram, from, {}}, {Space::kBufferA, to, {}});
}
Instruction store(Address from, Address to) {
  return transfer(Unit::kStore, {Space::kAccumulator, from, {}}, {Space::kDram, to, {}});
}
Instruction copy(Address from, Address to) {
  Vector vector{.op = VectorOp::kCopy, .shape = {1, 1, 1, 1, 64}};
  vector.a = {Space::kBufferA, from, {0, 0, 0, 0, 2}, DataType::kBf16};
  vector.target = {Space::kAccumulator, to, {0, 0, 0, 0, 2}, DataType::kBf16};
  return {Unit::kVector, 0, {}, {}, vector};
}

Program program_of(std::vector<Instruction> instructions) {
  Program program;
  program.segments = {{"in", SegmentKind::kInput, DataType::kBf16, kInput, 4096},
                      {"out", SegmentKind::kOutput, DataType::kBf16, kOutput, 4096},
                      {"code", SegmentKind::kInstructions, DataType::kInt8, kCode, 4096}};
  program.cores.push_back({std::move(instructions), kCode});
  return program;
}

std::string first_violation(const Program& program) {
  const auto violations = find_violations(program, chip(), 1);
  return violations.empty() ? "" : violations[0].reason;
}

// Takes the token of the k-th wait out of the program; false when there are fewer.
bool without_token(std::vector<Instruction>& instructions, int k) {
  for (std::size_t later = 0; later < instructions.size(); ++later)
    for (int wait = 0; wait < instructions[later].waits.count; ++wait) {
      if (k-- > 0) continue;
      const std::uint16_t token = instructions[later].waits.token[wait];
      const auto drop = [&](TokenList& list) {
        TokenList kept;
        for (const std::uint16_t id : list)
          if (id != token) kept.add(id);
        list = kept;
      };
      for (Instruction& instruction : instructions) drop(instruction.waits), drop(instruction.posts);
      return true;
    }
  return false;
}

// Two operators one after the other: the second reads what the first stored, into the same place.
std::vector<Instruction> chain() {
  HazardLinker linker;
  for (const Instruction& instruction :
       {load(kInput, 0), copy(0, 0), store(0, kOutput), load(kOutput, 0), copy(0, 0), store(0, kOutput + 1024)})
    linker.append(instruction);
  return linker.take();
}

TEST(Hazards, ATokenWhereTheSameBytesAreTouchedAndNoneThatAnotherBrings) {
  const auto instructions = chain();
  const auto waits = [&](int i) { return static_cast<int>(instructions[i].waits.count); };
  EXPECT_EQ(waits(0), 0);
  EXPECT_EQ(waits(1), 1);  // its operand
  EXPECT_EQ(waits(2), 1);  // its result
  EXPECT_EQ(waits(3), 1);  // the store; that the vector unit has read the place is known by then
  EXPECT_EQ(waits(4), 1);  // its operand; by then the store has read the place of its result
  EXPECT_EQ(waits(5), 1);
  EXPECT_EQ(first_violation(program_of(instructions)), "");
}

TEST(Hazards, EveryTokenIsNeeded) {
  int removed = 0;
  for (std::vector<Instruction> instructions = chain(); without_token(instructions, removed); instructions = chain()) {
    EXPECT_NE(first_violation(program_of(instructions)).find("races with"), std::string::npos) << removed;
    ++removed;
  }
  EXPECT_EQ(removed, 5);
}

TEST(Hazards, WhatTouchesNothingInCommonDoesNotWait) {
  HazardLinker linker;
  for (const Instruction& instruction : {load(kInput, 0), copy(0, 0), store(0, kOutput)}) linker.append(instruction);
  EXPECT_EQ(linker.hazards(load(kInput, 1024)), kNoneYet);
  EXPECT_EQ(linker.hazards(load(kInput, 0))[static_cast<int>(Unit::kVector)], 1);
  EXPECT_EQ(linker.hazards(load(kOutput, 1024))[static_cast<int>(Unit::kStore)], 2);
}

TEST(Areas, TheNextOperatorLiesBehindTheOneBeforeWhileThereIsRoom) {
  CoreSpec core = chip().core;
  core.buffer_a = 256;
  core.accumulator = 1024;
  AreaChoice areas(core);
  HazardLinker linker;
  const std::vector<Instruction> one{load(kInput, 0), copy(0, 0)};
  EXPECT_EQ(areas.choose(one, linker)[static_cast<int>(Space::kBufferA)](0), 0);
  EXPECT_EQ(areas.choose(one, linker)[static_cast<int>(Space::kBufferA)](0), 128);
  EXPECT_EQ(areas.choose(one, linker)[static_cast<int>(Space::kBufferA)](0), 0);
}

TEST(Areas, CopiesOfADoubleBufferChangePlacesWhenTheFirstIsStillInUse) {
  CoreSpec core = chip().core;
  core.buffer_a = 256;
  AreaChoice areas(core);
  HazardLinker linker;
  for (const Instruction& instruction : {load(kInput, 0), load(kInput, 128), copy(128, 128), copy(0, 0)})
    linker.append(instruction);
  const std::vector<Instruction> both{load(kInput, 0), load(kInput, 128), copy(0, 0), copy(128, 128)};
  const AreaMove move = areas.choose(both, linker)[static_cast<int>(Space::kBufferA)];
  EXPECT_EQ(move(0), 128);
  EXPECT_EQ(move(128), 0);
}

// relu(x) and a product that has nothing to do with it, on one core.
Plan independent(bool overlap) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {64, 64}, TensorKind::kInput);
  const TensorId y = add_tensor(graph, "y", {64, 64}, TensorKind::kInput);
  add_op(graph, "relu", OpKind::kRelu, {x});
  add_op(graph, "product", OpKind::kMatMul, {x, y});
  return make_plan(graph, chip({"edge_single.yaml"}), {.overlap_operators = overlap});
}

int first_load_waits(const Plan& plan, OperatorId op) {
  for (const Instruction& instruction : plan.program.cores[0].instructions)
    if (instruction.op == op + 1) return instruction.waits.count;
  return -1;
}

TEST(Link, AnOperatorStartsWhileTheOneBeforeIsUnderWay) {
  EXPECT_EQ(first_load_waits(independent(true), 1), 0);
  EXPECT_GT(first_load_waits(independent(false), 1), 0);
  expect_values(independent(true));
  expect_values(independent(false));
}

TEST(Link, OnlyLoadsOfWhatOtherCoresWroteWaitForABarrier) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {256, 256}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {256, 256}, TensorKind::kConstant);
  const TensorId y = add_op(graph, "relu", OpKind::kRelu, {x}, {}, TensorKind::kHidden);
  add_op(graph, "product", OpKind::kMatMul, {w, y});
  const Plan plan = make_plan(graph, chip(), {});
  const auto& core = plan.program.cores[0].instructions;
  const auto barrier = std::find_if(core.begin(), core.end(), [](const Instruction& instruction) {
    return std::holds_alternative<Barrier>(instruction.payload);
  });
  ASSERT_NE(barrier, core.end());
  EXPECT_EQ(barrier->waits.count, 0);
  EXPECT_EQ((barrier + 1)->unit, Unit::kLoad);
  EXPECT_EQ((barrier + 1)->waits.count, 0) << "the constant comes first, and waits for nobody";
  expect_values(plan);
}

}  // namespace
}  // namespace tilewright::test
