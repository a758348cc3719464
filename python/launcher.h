// A thread that lives as long as the process and starts its worker processes: a worker ends with the thread that forked
// it (PR_SET_PDEATHSIG), and Python's threads come and go.
#pragma once

#include <functional>

namespace tilewright {

// Runs `start` in that thread and waits for it; what it throws is thrown here.
void run_in_launcher(const std::function<void()>& start);

}  // namespace tilewright
