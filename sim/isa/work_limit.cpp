#include "sim/isa/work_limit.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/error.h"
#include "sim/isa/request_splitter.h"

namespace tilewright {
namespace {

// Host seconds of one request on one processor of 2 to 3 GHz: 1.2 to 3.5 us in `run CHIP bert_large_layer` on nine of
// the shipped chips, planning apart.
constexpr double kSecondsPerRequest = 3e-6;

WorkLimit g_limit;

double requests_of(const Transfer& transfer, const Box& side, const RequestLimits& limits) {
  if (!is_memory(side.space, side.owner)) return 0;
  const RunWalker runs(unpadded(transfer), side.stride, side.address, bytes_of(transfer.type));
  return static_cast<double>(runs.runs_left()) *
         std::ceil(static_cast<double>(runs.run_bytes()) / static_cast<double>(limits.longest()));
}

}  // namespace

void set_work_limit(const WorkLimit& limit) { g_limit = limit; }

double estimated_requests(const Program& program, const Hardware& hardware) {
  const RequestLimits limits = dram_request_limits(hardware);
  double requests = 0;
  for (const CoreProgram& core : program.cores)
    for (const Instruction& instruction : core.instructions) {
      requests += 1;
      if (const auto* transfer = std::get_if<Transfer>(&instruction.payload))
        requests += requests_of(*transfer, transfer->source, limits) + requests_of(*transfer, transfer->target, limits);
    }
  return requests;
}

double estimated_seconds(double requests) { return requests * kSecondsPerRequest; }

void check_work(const std::string& where, double requests) {
  const double seconds = estimated_seconds(requests);
  const auto refuse = [&](const std::string& allowed) {
    throw UserError(where, fmt::format("takes about {:.2g} requests to memory and {:.2g} s to simulate; allowed are {}",
                                       requests, seconds, allowed));
  };
  if (g_limit.requests > 0 && requests > g_limit.requests)
    refuse(fmt::format("{:g} requests (--max-requests)", g_limit.requests));
  if (g_limit.seconds > 0 && seconds > g_limit.seconds) refuse(fmt::format("{:g} s (--max-seconds)", g_limit.seconds));
}

}  // namespace tilewright
