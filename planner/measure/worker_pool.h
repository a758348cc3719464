// Worker processes that answer queries, so that every core of the host measures and nothing a worker does (elaborating
// a chip, which a process can do once; crashing) reaches the caller.
//
// A worker is forked when it is first needed, makes its handler and answers one query after the other by pipe. It sees
// everything the caller held in memory when it was forked, so a query can be as short as a number. Answers do not
// depend on which worker gave them: the order of the results is that of the queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tilewright {

// What one query may take before its worker is ended: seconds of wall time, and bytes of memory of the process beyond
// those it was forked with; 0: without limit. An hour is far above any measurement.
struct WorkerLimits {
  double seconds = 3600;
  std::int64_t bytes = 0;
};

class WorkerPool {
 public:
  // A worker's function from query to answer. A UserError it throws becomes a refusal; any other exception is our bug
  // and is thrown on in the caller as an InternalError.
  using Handler = std::function<std::string(const std::string& query)>;
  // Called in the worker before its first query, e.g. to elaborate a session.
  using MakeHandler = std::function<Handler()>;

  struct Answer {
    enum class Kind : std::uint8_t {
      kAnswered,
      kRefused,  // `text` is the message of the error the handler threw: the query was the user's mistake
      kCrashed,  // the worker died on it; a new one took its place, and `text` says how it died
      kExceeded  // the worker was ended at a limit, which `text` names
    };
    Kind kind = Kind::kCrashed;
    std::string text;
    bool ok() const { return kind == Kind::kAnswered; }
    bool died() const { return kind == Kind::kCrashed || kind == Kind::kExceeded; }
  };

  // `workers` processes at most. After `queries_per_worker` answers a worker is replaced by a fresh one (0: never).
  // The caller must not have elaborated a chip itself, and none of its other threads may hold a lock that the handler
  // needs. A worker ends with the thread that first asked for it.
  WorkerPool(int workers, MakeHandler make, int queries_per_worker = 0, const WorkerLimits& limits = {});
  ~WorkerPool();  // ends the workers
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int workers() const;

  // Answers in the order of the queries. `done` is called in the caller as each answer arrives, in the order of
  // arrival: what must not be lost is written there. Throws Stopped (sim/base/stop.h), and ends the workers, when work
  // is to end.
  using Done = std::function<void(std::size_t query, const Answer& answer)>;
  std::vector<Answer> ask(const std::vector<std::string>& queries, const Done& done = {});

  // The same from a stream of queries, for searches that decide the next by the answers so far: `next` is asked
  // whenever a worker is free and returns false when there is nothing to ask now; the call ends when nothing is under
  // way and `next` has nothing. At most workers() queries are under way, numbered from 0 in the order `next` gave them.
  void stream(const std::function<bool(std::string& query)>& next, const Done& done);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Processes this machine can run at once.
int default_jobs();

// The share of one of several workers: every count-th item from the index-th on; index counts from 1.
struct Slice {
  int index = 1, count = 1;
  bool holds(std::size_t position) const { return static_cast<int>(position % count) == index - 1; }
  bool is_all() const { return count == 1; }
};
// "2/8". UserError for anything else.
Slice parse_slice(const std::string& text);

}  // namespace tilewright
