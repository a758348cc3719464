#include "python/launcher.h"

#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

namespace tilewright {
namespace {

class Launcher {
 public:
  Launcher() {
    std::thread([this] { serve(); }).detach();
  }

  void run(const std::function<void()>& start) {
    std::packaged_task<void()> task(start);
    std::future<void> done = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    more_.notify_one();
    done.get();
  }

 private:
  [[noreturn]] void serve() {
    while (true) {
      std::unique_lock lock(mutex_);
      more_.wait(lock, [this] { return !tasks_.empty(); });
      std::packaged_task<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::packaged_task<void()>> tasks_;
};

// Never destroyed: its thread waits in it when the process ends. A forked copy of this process (multiprocessing) has no
// such thread and makes its own.
Launcher& launcher() {
  static std::mutex mutex;
  static Launcher* current = nullptr;
  static pid_t owner = 0;
  const std::lock_guard lock(mutex);
  if (owner != ::getpid()) current = new Launcher, owner = ::getpid();
  return *current;
}

}  // namespace

void run_in_launcher(const std::function<void()>& start) { launcher().run(start); }

}  // namespace tilewright
