#include "python/chip_worker.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <list>
#include <mutex>

#include "planner/measure/worker_process.h"
#include "python/interrupt.h"
#include "python/launcher.h"
#include "python/run_message.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

// Between two looks at Python's signals: a signal that another thread took does not end the wait by itself.
constexpr int kLookMilliseconds = 50;

struct ChipWorker {
  std::string chip;  // as its hardware file
  std::unique_ptr<WorkerProcess> process;
};

// The workers of this process that wait for a run, the one used last in front.
class IdleWorkers {
 public:
  ChipWorker take(const std::string& chip) {
    const std::lock_guard lock(mutex_);
    leave_to_parent();
    for (auto at = idle_.begin(); at != idle_.end(); ++at)
      if (at->chip == chip) {
        ChipWorker worker = std::move(*at);
        idle_.erase(at);
        return worker;
      }
    return {chip, nullptr};
  }

  void give_back(ChipWorker worker) {
    const std::lock_guard lock(mutex_);
    idle_.push_front(std::move(worker));
    while (idle_.size() > kMaxIdle) idle_.pop_back();
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    leave_to_parent();
    idle_.clear();
  }

  int count() {
    const std::lock_guard lock(mutex_);
    leave_to_parent();
    return static_cast<int>(idle_.size());
  }

 private:
  static constexpr std::size_t kMaxIdle = 8;

  // In a forked copy of this process the workers are still its parent's: they are neither used nor ended.
  void leave_to_parent() {
    if (owner_ == ::getpid()) return;
    for (ChipWorker& worker : idle_) static_cast<void>(worker.process.release());
    idle_.clear();
    owner_ = ::getpid();
  }

  std::mutex mutex_;
  std::list<ChipWorker> idle_;
  pid_t owner_ = ::getpid();
};

// Never destroyed: workers end with this process, and other threads may still run at its end.
IdleWorkers& idle() {
  static auto* workers = new IdleWorkers;
  return *workers;
}

WorkerPool::Handler serve(const Hardware& hardware) {
  auto session = std::make_shared<Session>(hardware);
  return [session](const std::string& bytes) {
    const RunQuery query = query_from_bytes(bytes);
    return to_bytes(execute_on(*session, query.program, query.options, query.trace));
  };
}

std::unique_ptr<WorkerProcess> start_worker(const Hardware& hardware) {
  std::unique_ptr<WorkerProcess> process;
  run_in_launcher([&] {
    process = std::make_unique<WorkerProcess>([&] { return serve(hardware); }, std::vector<int>{}, WorkerLimits{});
  });
  return process;
}

// Whether it is still there to be asked: an idle worker sends nothing, so its socket is readable only when it died.
bool alive(const WorkerProcess& process) {
  pollfd socket{process.socket(), POLLIN, 0};
  return ::poll(&socket, 1, 0) == 0;
}

void wait_for_answer(const WorkerProcess& process) {
  while (true) {
    pollfd socket{process.socket(), POLLIN, 0};
    const int ready = ::poll(&socket, 1, kLookMilliseconds);
    if (ready > 0) return;
    SIM_CHECK(ready == 0 || errno == EINTR, "poll failed: {}", errno);
    check_interrupt();
  }
}

WorkerMessage ask(WorkerProcess& process, const std::string& query) {
  process.query = 0;  // until it is answered: whoever ends it now does not wait for it
  process.send(query);
  wait_for_answer(process);
  const auto answer = process.receive();
  if (!answer) throw WorkerCrash(fmt::format("the worker process of this run died: {}", process.how_it_ended()));
  process.query.reset();
  return *answer;
}

}  // namespace

Execution execute_in_worker(const Program& program, const Hardware& hardware, RunOptions options, bool trace) {
  // Only the first run of a process can write a waveform.
  const bool fresh = options.waveform.has_value();
  const std::string chip = to_yaml(hardware);
  ChipWorker worker = fresh ? ChipWorker{chip, nullptr} : idle().take(chip);
  if (!worker.process || !alive(*worker.process)) worker.process = start_worker(hardware);
  const WorkerMessage answer = ask(*worker.process, to_bytes(program, options, trace));
  if (answer.kind == WorkerMessage::Kind::kBug) throw InternalError(answer.text);
  // A run that was refused may have left the chip half-way: its worker is not used again.
  if (answer.kind == WorkerMessage::Kind::kRefusal) throw UserError("", answer.text);
  if (!fresh) idle().give_back(std::move(worker));
  return execution_from_bytes(answer.text);
}

void end_idle_workers() { idle().clear(); }

int idle_workers() { return idle().count(); }

}  // namespace tilewright
