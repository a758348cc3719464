#include "planner/search/schedule/schedule_timer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <sstream>

#include "planner/cost/cost.h"
#include "planner/cost/worker_pool.h"
#include "planner/passes/place/lifetime.h"
#include "planner/passes/place/memory_sharing.h"
#include "planner/search/schedule/schedule_estimate.h"
#include "sim/base/error.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

// "PART NODE NODE ...".
std::string text_of(const OrderQuery& query) { return fmt::format("{} {}", query.part, fmt::join(query.order, " ")); }

OrderQuery query_of(const std::string& text) {
  std::istringstream in(text);
  OrderQuery query;
  in >> query.part;
  for (int node; in >> node;) query.order.push_back(node);
  return query;
}

std::string text_of(const OrderTime& time) {
  return fmt::format("{} {} {} {} {} {}", time.cycles, time.stream_estimate, time.order_estimate, time.peak_memory,
                     time.memory_taken, time.program_hash);
}

OrderTime time_of(const std::string& text) {
  std::istringstream in(text);
  OrderTime time;
  in >> time.cycles >> time.stream_estimate >> time.order_estimate >> time.peak_memory >> time.memory_taken >>
      time.program_hash;
  SIM_CHECK(!in.fail(), "a worker answered '{}'", text);
  return time;
}

// What runs in a worker: a chip, and the programs it has run.
class Worker {
 public:
  explicit Worker(const std::vector<SchedulePart>& parts) : parts_(parts), session_(parts.front().tiled.hardware) {}

  std::string answer(const std::string& text) {
    const OrderQuery query = query_of(text);
    const Plan plan = plan_in_order(parts_.at(query.part), query.order);
    OrderTime time{.program_hash = hash_of(plan.program)};
    time.stream_estimate = stream_estimate(plan);
    time.order_estimate = order_estimate(plan);
    time.peak_memory = peak_memory(plan);
    time.memory_taken = memory_taken(plan);
    auto [known, fresh] = cycles_.try_emplace(time.program_hash, 0);
    if (fresh) known->second = measure(session_, plan).cycles;
    time.cycles = known->second;
    return text_of(time);
  }

 private:
  const std::vector<SchedulePart>& parts_;
  Session session_;
  std::map<std::uint64_t, Cycles> cycles_;
};

}  // namespace

struct OrderTimer::Impl {
  WorkerPool pool;
};

OrderTimer::OrderTimer(const std::vector<SchedulePart>& parts, int workers)
    : impl_(new Impl{{workers, [&parts]() -> WorkerPool::Handler {
                        auto worker = std::make_shared<Worker>(parts);
                        return [worker](const std::string& query) { return worker->answer(query); };
                      }}}) {}

OrderTimer::~OrderTimer() = default;

std::vector<OrderTime> OrderTimer::time(const std::vector<OrderQuery>& queries) {
  std::vector<std::string> texts;
  for (const OrderQuery& query : queries) texts.push_back(text_of(query));
  std::vector<OrderTime> times;
  for (const WorkerPool::Answer& answer : impl_->pool.ask(texts)) {
    SIM_CHECK(answer.kind != WorkerPool::Answer::Kind::kCrashed, "a worker process ended: {}", answer.text);
    times.push_back(answer.ok() ? time_of(answer.text) : OrderTime{.rejected = answer.text});
  }
  return times;
}

}  // namespace tilewright
