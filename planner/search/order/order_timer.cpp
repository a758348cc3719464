#include "planner/search/order/order_timer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <sstream>

#include "planner/estimate/program_time.h"
#include "planner/estimate/queue_model/queue_model.h"
#include "planner/ir/lifetime.h"
#include "planner/ir/memory_sharing.h"
#include "planner/measure/measure.h"
#include "planner/measure/worker_pool.h"
#include "sim/base/error.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

// In front of a query that asks for a prediction alone.
constexpr std::string_view kPredict = "predict ";
// In front of a query that asks for no estimates.
constexpr std::string_view kWithoutEstimates = "measure ";
// In front of the bytes that an order needs, where the chip has no room for it.
constexpr std::string_view kNeeds = "needs ";

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
  return fmt::format("{} {} {} {} {} {} {} {}", time.cycles, time.queue_model_estimate, time.stream_estimate,
                     time.order_estimate, time.peak_memory, time.memory_taken, time.program_hash,
                     fmt::join(time.ends, " "));
}

OrderTime time_of(const std::string& text) {
  std::istringstream in(text);
  OrderTime time;
  in >> time.cycles >> time.queue_model_estimate >> time.stream_estimate >> time.order_estimate >> time.peak_memory >>
      time.memory_taken >> time.program_hash;
  SIM_CHECK(!in.fail(), "a worker answered '{}'", text);
  for (Cycles end; in >> end;) time.ends.push_back(end);
  return time;
}

struct KnownRun {
  double cycles = 0;
  std::vector<Cycles> ends;
};

// `operators` as Program::operators, of which 0 is none.
template <typename Operators>
std::vector<Cycles> ends_of(const Plan& plan, const ScheduleDag& dag, const Operators& operators) {
  std::vector<Cycles> ends;
  for (const OperatorId op : dag.ops) ends.push_back(plan.hardware.core_clock.ceil(operators.at(op + 1).end));
  return ends;
}

// What runs in a worker: a chip, and the programs it has run and predicted.
class OrderWorker {
 public:
  OrderWorker(const std::vector<SchedulePart>& parts, TimedBy by)
      : parts_(parts), by_(by), session_(parts.front().tiled.hardware) {}

  std::string answer(const std::string& text) {
    if (text.starts_with(kPredict)) return predicted(query_of(text.substr(kPredict.size())));
    const bool plain = text.starts_with(kWithoutEstimates);
    const OrderQuery query = query_of(plain ? text.substr(kWithoutEstimates.size()) : text);
    return timed(planned(query), parts_.at(query.part).dag, !plain);
  }

 private:
  // Session::run verifies the program.
  Plan planned(const OrderQuery& query) const { return plan_in_order(parts_.at(query.part), query.order, false); }

  std::string predicted(const OrderQuery& query) {
    try {
      const Plan plan = planned(query);
      return fmt::format("{}", by_ == TimedBy::kQueueModel
                                   ? stream_estimate(plan)
                                   : predicted_run(plan, parts_.at(query.part).dag, hash_of(plan.program)).cycles);
    } catch (const UserError&) {
      return fmt::format("{}{}", kNeeds, needed_by(query));
    }
  }

  // By the lives of the tensors alone: nothing has been placed.
  Bytes needed_by(const OrderQuery& query) const {
    const SchedulePart& part = parts_.at(query.part);
    Plan plan = part.tiled;
    plan.order = operators_of(part, query.order);
    return peak_memory(plan);
  }

  std::string timed(const Plan& plan, const ScheduleDag& dag, bool with_estimates) {
    OrderTime time{.program_hash = hash_of(plan.program)};
    if (with_estimates) {
      time.stream_estimate = stream_estimate(plan);
      time.order_estimate = order_estimate(plan);
    }
    const bool by_queues = by_ == TimedBy::kQueueModel;
    if (with_estimates || by_queues) time.queue_model_estimate = predicted_run(plan, dag, time.program_hash).cycles;
    time.peak_memory = peak_memory(plan);
    time.memory_taken = memory_taken(plan);
    const KnownRun& run =
        by_queues ? predicted_run(plan, dag, time.program_hash) : measured_run(plan, dag, time.program_hash);
    time.cycles = static_cast<Cycles>(std::ceil(run.cycles));
    time.ends = run.ends;
    return text_of(time);
  }

  const KnownRun& measured_run(const Plan& plan, const ScheduleDag& dag, std::uint64_t program_hash) {
    const auto [known, fresh] = measured_.try_emplace(program_hash);
    if (!fresh) return known->second;
    const Measurement measured = measure(session_, plan);
    known->second = {static_cast<double>(measured.cycles), ends_of(plan, dag, measured.result.operators)};
    return known->second;
  }

  const KnownRun& predicted_run(const Plan& plan, const ScheduleDag& dag, std::uint64_t program_hash) {
    const auto [known, fresh] = predicted_.try_emplace(program_hash);
    if (!fresh) return known->second;
    const QueueModelRun run = queue_model_run(plan.hardware, plan.program, buffers());
    known->second = {run.cycles, ends_of(plan, dag, run.operators)};
    return known->second;
  }

  // What only ranks orders that are measured then need not know full routers: it ranks as well without, in two thirds
  // of the time (docs/schedule.md).
  RouterBuffers buffers() const {
    return by_ == TimedBy::kQueueModel ? RouterBuffers::kLimited : RouterBuffers::kUnlimited;
  }

  const std::vector<SchedulePart>& parts_;
  TimedBy by_;
  Session session_;
  std::map<std::uint64_t, KnownRun> measured_, predicted_;  // by the program's hash
};

}  // namespace

struct OrderTimer::Impl {
  std::vector<WorkerPool::Answer> answers(const std::vector<std::string>& queries) {
    auto all = pool.ask(queries);
    for (const WorkerPool::Answer& answer : all) SIM_CHECK(!answer.died(), "a worker process ended: {}", answer.text);
    return all;
  }

  WorkerPool pool;
};

OrderTimer::OrderTimer(const std::vector<SchedulePart>& parts, int workers, TimedBy by)
    : impl_(new Impl{{workers, [&parts, by]() -> WorkerPool::Handler {
                        auto worker = std::make_shared<OrderWorker>(parts, by);
                        return [worker](const std::string& query) { return worker->answer(query); };
                      }}}) {}

OrderTimer::~OrderTimer() = default;

std::vector<OrderTime> OrderTimer::time(const std::vector<OrderQuery>& queries) {
  std::vector<std::string> texts;
  for (const OrderQuery& query : queries)
    texts.push_back((query.with_estimates ? "" : std::string(kWithoutEstimates)) + text_of(query));
  std::vector<OrderTime> times;
  for (const WorkerPool::Answer& answer : impl_->answers(texts))
    times.push_back(answer.ok() ? time_of(answer.text) : OrderTime{.rejected = answer.text});
  return times;
}

std::vector<OrderPromise> OrderTimer::predict(int part, const std::vector<NodeOrder>& orders) {
  std::vector<std::string> texts;
  for (const NodeOrder& order : orders) texts.push_back(std::string(kPredict) + text_of({part, order}));
  std::vector<OrderPromise> predicted;
  for (const WorkerPool::Answer& answer : impl_->answers(texts)) {
    SIM_CHECK(answer.ok(), "an order could not be predicted: {}", answer.text);
    predicted.push_back(answer.text.starts_with(kNeeds)
                            ? OrderPromise::without_room(std::stod(answer.text.substr(kNeeds.size())))
                            : OrderPromise(std::stod(answer.text)));
  }
  return predicted;
}

}  // namespace tilewright
