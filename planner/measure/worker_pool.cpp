#include "planner/measure/worker_pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <regex>

#include "planner/measure/worker_process.h"
#include "sim/base/error.h"
#include "sim/base/stop.h"

namespace tilewright {
namespace {

using Wall = std::chrono::steady_clock;
constexpr double kForever = 1e9;  // seconds: thirty years

}  // namespace

struct WorkerPool::Impl {
  std::size_t most;
  MakeHandler make;
  int queries_per_worker;
  WorkerLimits limits;
  std::vector<std::unique_ptr<WorkerProcess>> workers;

  WorkerProcess* idle_worker() {
    const auto idle = std::find_if(workers.begin(), workers.end(), [](const auto& worker) { return !worker->query; });
    if (idle != workers.end()) return idle->get();
    if (workers.size() == most) return nullptr;
    std::vector<int> siblings;
    for (const auto& worker : workers) siblings.push_back(worker->socket());
    workers.push_back(std::make_unique<WorkerProcess>(make, siblings, limits));
    return workers.back().get();
  }

  bool busy() const {
    return std::any_of(workers.begin(), workers.end(), [](const auto& worker) { return worker->query.has_value(); });
  }

  void ask(WorkerProcess& worker, std::size_t number, const std::string& query) {
    worker.query = number;
    worker.deadline = Wall::now() + std::chrono::duration_cast<Wall::duration>(
                                        std::chrono::duration<double>(limits.seconds > 0 ? limits.seconds : kForever));
    worker.send(query);
  }

  // Milliseconds until the first worker under way has had its time, rounded up; at most until the next look at the
  // clock of the whole.
  int patience() const {
    auto first = Wall::time_point::max();
    for (const auto& worker : workers)
      if (worker->query) first = std::min(first, worker->deadline);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - Wall::now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 500));
  }

  std::vector<WorkerProcess*> overdue() const {
    std::vector<WorkerProcess*> found;
    for (const auto& worker : workers)
      if (worker->query && worker->deadline <= Wall::now()) found.push_back(worker.get());
    return found;
  }

  // Workers with an answer (or a death) to report; waits until there is one or a worker has had its time.
  std::vector<WorkerProcess*> ready() const {
    std::vector<pollfd> sockets;
    std::vector<WorkerProcess*> asked, ready;
    for (const auto& worker : workers)
      if (worker->query) {
        sockets.push_back({worker->socket(), POLLIN, 0});
        asked.push_back(worker.get());
      }
    if (::poll(sockets.data(), sockets.size(), patience()) < 0 && errno != EINTR)
      SIM_CHECK(false, "poll failed: {}", errno);
    for (std::size_t i = 0; i < sockets.size(); ++i)
      if (sockets[i].revents != 0) ready.push_back(asked[i]);
    return ready;
  }

  void retire(WorkerProcess* worker) {
    std::erase_if(workers, [&](const auto& candidate) { return candidate.get() == worker; });
  }

  // The answer of a worker that is ready; the worker is free afterwards, or gone.
  Answer take_answer(WorkerProcess* worker) {
    const auto message = worker->receive();
    worker->query.reset();
    if (!message) {
      Answer answer{Answer::Kind::kCrashed, worker->how_it_ended()};
      retire(worker);
      return answer;
    }
    if (message->kind == WorkerMessage::Kind::kBug) throw InternalError(message->text);
    if (++worker->answers == queries_per_worker) retire(worker);
    switch (message->kind) {
      case WorkerMessage::Kind::kAnswer:
        return {Answer::Kind::kAnswered, message->text};
      case WorkerMessage::Kind::kNoMemory:
        return {Answer::Kind::kExceeded, memory_text()};
      case WorkerMessage::Kind::kTooLate:
        return {Answer::Kind::kExceeded, time_text()};
      default:
        return {Answer::Kind::kRefused, message->text};
    }
  }

  Answer give_up(WorkerProcess* worker) {
    retire(worker);
    return {Answer::Kind::kExceeded, time_text()};
  }

  std::string time_text() const { return fmt::format("took more than the {:g} seconds allowed", limits.seconds); }

  std::string memory_text() const {
    return limits.bytes == 0 ? "the machine has no memory left for it"
                             : fmt::format("needs more than the {:.3g} GiB of memory allowed",
                                           static_cast<double>(limits.bytes) / (1 << 30));
  }
};

WorkerPool::WorkerPool(int workers, MakeHandler make, int queries_per_worker, const WorkerLimits& limits)
    : impl_(new Impl{static_cast<std::size_t>(std::max(1, workers)), std::move(make), queries_per_worker, limits, {}}) {
}

WorkerPool::~WorkerPool() = default;

int WorkerPool::workers() const { return static_cast<int>(impl_->most); }

void WorkerPool::stream(const std::function<bool(std::string& query)>& next, const Done& done) {
  std::size_t asked = 0;
  while (true) {
    std::string query;
    for (WorkerProcess* worker; (worker = impl_->idle_worker()) && next(query);) {
      impl_->ask(*worker, asked++, query);
    }
    if (!impl_->busy()) return;
    check_stop();
    for (WorkerProcess* worker : impl_->ready()) {
      const std::size_t number = *worker->query;
      done(number, impl_->take_answer(worker));
    }
    for (WorkerProcess* worker : impl_->overdue()) {
      const std::size_t number = *worker->query;
      done(number, impl_->give_up(worker));
    }
  }
}

std::vector<WorkerPool::Answer> WorkerPool::ask(const std::vector<std::string>& queries, const Done& done) {
  std::vector<Answer> answers(queries.size());
  std::size_t given = 0;
  const auto next = [&](std::string& query) {
    if (given == queries.size()) return false;
    query = queries[given++];
    return true;
  };
  stream(next, [&](std::size_t number, const Answer& answer) {
    answers[number] = answer;
    if (done) done(number, answer);
  });
  return answers;
}

int default_jobs() {
  cpu_set_t allowed;
  return ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

Slice parse_slice(const std::string& text) {
  static const std::regex form("([0-9]{1,6})/([0-9]{1,6})");
  std::smatch parts;
  Slice slice;
  const bool good = std::regex_match(text, parts, form);
  if (good) slice = {std::stoi(parts[1]), std::stoi(parts[2])};
  if (!good || slice.index < 1 || slice.index > slice.count)
    throw UserError("--slice", fmt::format("got '{}', expected i/n with i from 1 to n, e.g. 2/8", text));
  return slice;
}

}  // namespace tilewright
