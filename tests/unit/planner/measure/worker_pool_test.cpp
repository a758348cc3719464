// Workers answer in order, refuse, crash and are replaced; costs survive their text form.
#include "planner/measure/worker_pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <set>

#include "planner/measure/measure.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "tests/support/sanitizer.h"

namespace tilewright {
namespace {

using Kind = WorkerPool::Answer::Kind;

std::vector<std::string> numbers(int count) {
  std::vector<std::string> queries;
  for (int i = 0; i < count; ++i) queries.push_back(std::to_string(i));
  return queries;
}

WorkerPool::MakeHandler doubling() {
  return [] { return [](const std::string& query) { return std::to_string(2 * std::stoi(query)); }; };
}

WorkerPool::MakeHandler process_id() {
  return [] { return [](const std::string&) { return std::to_string(::getpid()); }; };
}

std::set<std::string> distinct(const std::vector<WorkerPool::Answer>& answers) {
  std::set<std::string> texts;
  for (const auto& answer : answers) texts.insert(answer.text);
  return texts;
}

TEST(WorkerPool, AnswersAreInTheOrderOfTheQueries) {
  for (const int workers : {1, 3, 8}) {
    WorkerPool pool(workers, doubling());
    const auto answers = pool.ask(numbers(100));
    ASSERT_EQ(answers.size(), 100u);
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(answers[i].kind, Kind::kAnswered);
      EXPECT_EQ(answers[i].text, std::to_string(2 * i));
    }
  }
}

TEST(WorkerPool, LongMessagesArriveWhole) {
  WorkerPool pool(2, [] { return [](const std::string& query) { return query + query; }; });
  const std::string large(5'000'000, 'x');
  EXPECT_EQ(pool.ask({large})[0].text, large + large);
}

TEST(WorkerPool, AUsersMistakeIsARefusalAndTheWorkerGoesOn) {
  WorkerPool pool(1, [] {
    return [](const std::string& query) -> std::string {
      if (query == "bad") throw UserError("here", "not like this");
      return std::to_string(::getpid());
    };
  });
  const auto answers = pool.ask({"good", "bad", "good"});
  EXPECT_EQ(answers[1].kind, Kind::kRefused);
  EXPECT_EQ(answers[1].text, "here: not like this");
  EXPECT_EQ(answers[0].text, answers[2].text);
}

TEST(WorkerPool, OurBugInAWorkerIsOurBugHere) {
  WorkerPool pool(1, []() -> WorkerPool::Handler {
    return [](const std::string&) -> std::string { throw InternalError("broken invariant"); };
  });
  EXPECT_THROW(pool.ask({"x"}), InternalError);
}

TEST(WorkerPool, AWorkerThatCannotStartRefuses) {
  WorkerPool pool(1, []() -> WorkerPool::Handler { throw UserError("chip.yaml:1", "no such chip"); });
  EXPECT_EQ(pool.ask({"x"})[0].text, "chip.yaml:1: no such chip");
}

TEST(WorkerPool, ACrashLosesOneQueryOnly) {
  WorkerPool pool(2, [] {
    return [](const std::string& query) -> std::string {
      if (query == "7") ::kill(::getpid(), SIGKILL);
      return query;
    };
  });
  const auto answers = pool.ask(numbers(20));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(answers[i].kind, i == 7 ? Kind::kCrashed : Kind::kAnswered);
  EXPECT_EQ(answers[7].text, "killed by signal 9");
}

TEST(WorkerPool, FreshProcessPerQueryWhenAsked) {
  WorkerPool kept(1, process_id()), fresh(2, process_id(), 1);
  EXPECT_EQ(distinct(kept.ask(numbers(5))).size(), 1u);
  EXPECT_EQ(distinct(fresh.ask(numbers(5))).size(), 5u);
}

TEST(WorkerPool, AStreamDecidesByTheAnswersSoFar) {
  WorkerPool pool(3, doubling());
  int asked = 0, sum = 0;
  const auto next = [&](std::string& query) {
    if (sum > 50) return false;
    query = std::to_string(asked++);
    return true;
  };
  pool.stream(next, [&](std::size_t number, const WorkerPool::Answer& answer) {
    EXPECT_EQ(answer.text, std::to_string(2 * number));
    sum += std::stoi(answer.text);
  });
  EXPECT_GT(sum, 50);
  EXPECT_LT(asked, 15);
}

TEST(WorkerPool, MeasuresAsTheCallerWould) {
  const Hardware chip = load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/edge_single.yaml");
  Graph graph;
  const TensorId a = graph.add_tensor({.name = "a", .shape = {32, 64}, .kind = TensorKind::kInput});
  const TensorId b = graph.add_tensor({.name = "b", .shape = {64, 48}, .kind = TensorKind::kConstant});
  const TensorId c = graph.add_tensor({.name = "c", .shape = {32, 48}, .kind = TensorKind::kOutput});
  graph.add_operator({.name = "product", .kind = OpKind::kMatMul, .inputs = {a, b}, .output = c});
  WorkerPool pool(2, [&] {
    auto session = std::make_shared<Session>(chip);
    return [&, session](const std::string&) { return to_json(measure_cost(*session, make_plan(graph, chip, {}))); };
  });
  const auto answers = pool.ask(numbers(4));
  Session session(chip);
  const Cost here = measure_cost(session, make_plan(graph, chip, {}));
  EXPECT_EQ(here.macs, 32 * 64 * 48);
  EXPECT_GT(here.cycles, 0);
  for (const auto& answer : answers) EXPECT_EQ(cost_from_json(answer.text), here);
}

TEST(Cost, Objectives) {
  const Cost cost{.cycles = 10, .energy_pj = 7};
  EXPECT_EQ(value_of(cost, parse_objective("cycles", "")), 10);
  EXPECT_EQ(value_of(cost, parse_objective("energy", "")), 7);
  EXPECT_EQ(value_of(cost, parse_objective("edp", "")), 70);
  EXPECT_THROW(parse_objective("speed", "--objective"), UserError);
}

// The worker that hangs is ended, the others go on.
TEST(WorkerPool, AQueryThatTakesTooLongIsGivenUp) {
  WorkerPool pool(2,
                  [] {
                    return [](const std::string& query) {
                      while (query == "3") ::pause();
                      return query;
                    };
                  },
                  0, {.seconds = 0.2});
  const auto answers = pool.ask(numbers(8));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(answers[i].kind, i == 3 ? Kind::kExceeded : Kind::kAnswered);
  EXPECT_EQ(answers[3].text, "took more than the 0.2 seconds allowed");
}

TEST(WorkerPool, AQueryThatNeedsTooMuchMemoryIsRefusedAndTheWorkerGoesOn) {
  if (test::kAddressSanitizer) GTEST_SKIP() << "the sanitizer's allocator ends the process where others throw";
  WorkerPool pool(1,
                  [] {
                    return [](const std::string& query) {
                      const std::string memory(query == "1" ? 1 << 28 : 1 << 10, 'x');
                      return std::to_string(memory.size());
                    };
                  },
                  0, {.bytes = 1 << 26});
  const auto answers = pool.ask(numbers(3));
  EXPECT_EQ(answers[0].text, "1024");
  EXPECT_EQ(answers[1].kind, Kind::kExceeded);
  EXPECT_EQ(answers[1].text, "needs more than the 0.0625 GiB of memory allowed");
  EXPECT_EQ(answers[2].text, "1024");
}

}  // namespace
}  // namespace tilewright
