// One worker of a WorkerPool: a forked process at the other end of a socket. Messages are a kind, a length and bytes.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/measure/worker_pool.h"

namespace tilewright {

struct WorkerMessage {
  enum class Kind : std::uint8_t { kQuery, kAnswer, kRefusal, kNoMemory, kTooLate, kBug };
  Kind kind = Kind::kQuery;
  std::string text;
};

class WorkerProcess {
 public:
  // Forks. `siblings`: sockets of other workers, which the new process must not hold open. The limits are kept by the
  // new process itself, but for that of time by one that does not come back.
  WorkerProcess(const WorkerPool::MakeHandler& make, const std::vector<int>& siblings, const WorkerLimits& limits);
  ~WorkerProcess();  // ends the process and waits for it
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  int socket() const { return socket_; }
  // A process that has died is noticed by receive().
  void send(const std::string& query);
  // Waits for the answer; nothing when the process has died, which how_it_ended() then tells.
  std::optional<WorkerMessage> receive();
  std::string how_it_ended();

  // The query it works on; nothing when it is free.
  std::optional<std::size_t> query;
  std::chrono::steady_clock::time_point deadline;  // of that query
  int answers = 0;

 private:
  int socket_ = -1;
  pid_t pid_ = -1;
};

}  // namespace tilewright
