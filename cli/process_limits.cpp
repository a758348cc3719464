#include "cli/process_limits.h"

#include <fmt/format.h>

#include <memory>

#include "cli/shipped.h"
#include "sim/base/stop.h"
#include "sim/hw/config/host_memory.h"
#include "sim/isa/work_limit.h"

namespace tilewright {
namespace {

// Hours of one processor, and some 28 times what the largest of the shipped language models asks for.
constexpr double kMostRequests = 1e10;

std::vector<std::string> g_given;  // options and values, as words

void note(const char* option, double value) {
  g_given.emplace_back(option);
  g_given.push_back(fmt::format("{}", value));
}

}  // namespace

std::vector<std::string> limited_program() {
  std::vector<std::string> words{program_path()};
  words.insert(words.end(), g_given.begin(), g_given.end());
  return words;
}

void add_limits(CLI::App& app) {
  g_given.clear();
  app.add_option_function<double>(
         "--memory-limit",
         [](double gib) {
           note("--memory-limit", gib);
           set_host_memory_limit(gib * (1 << 30));
         },
         "a chip whose simulation takes more of this machine's memory is refused (4 GiB)")
      ->type_name("GIB")
      ->check(CLI::Range(0.001, 1e6));
  auto limit = std::make_shared<WorkLimit>(WorkLimit{.requests = kMostRequests});
  set_work_limit(*limit);
  app.add_option_function<double>(
         "--max-requests",
         [limit](double requests) {
           note("--max-requests", requests);
           limit->requests = requests;
           set_work_limit(*limit);
         },
         "a program or network that makes about so many requests to memory is refused; 0: any (1e10)")
      ->type_name("N")
      ->check(CLI::Range(0.0, 1e18));
  app.add_option_function<double>(
         "--max-seconds",
         [limit](double seconds) {
           note("--max-seconds", seconds);
           limit->seconds = seconds;
           set_work_limit(*limit);
           stop_after(seconds);
         },
         "end after so many seconds of wall time with exit code 2, and refuse what is estimated to take longer to "
         "simulate; 0: no limit (0)")
      ->type_name("S")
      ->check(CLI::Range(0.0, 1e9));
}

}  // namespace tilewright
