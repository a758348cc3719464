#include "sim/machine/stall/transfer_causes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilewright {
namespace {

Picoseconds& of(CauseTimes& spent, Cause cause) { return spent[static_cast<int>(cause)]; }

// Of a mean request of a transfer, in picoseconds.
struct MeanRequest {
  double bus = 0, row = 0, latency = 0, cluster = 0, port = 0;
  double way = 0;     // in the network when nothing else is in it
  double queued = 0;  // there beyond that

  double alone() const { return latency + way; }
  double waited() const { return bus + row + cluster + port + queued; }
};

MeanRequest mean_of(const TransferTimes& times, Picoseconds shortest_way) {
  const auto mean = [&](Picoseconds sum) { return static_cast<double>(sum) / static_cast<double>(times.requests); };
  MeanRequest request{mean(times.bus), mean(times.row), mean(times.latency), mean(times.cluster), mean(times.port)};
  const double network = mean(times.network);
  request.way = std::min(network, static_cast<double>(shortest_way));
  request.queued = network - request.way;
  return request;
}

// Shares `time` out by weight; what rounding leaves goes to the heaviest, so that nothing is lost.
void share_out(Picoseconds time, const std::array<double, kCauseCount>& weights, CauseTimes& spent) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto heaviest = std::max_element(weights.begin(), weights.end()) - weights.begin();
  Picoseconds left = time;
  for (int i = 0; i < kCauseCount; ++i) {
    const auto part = static_cast<Picoseconds>(std::floor(static_cast<double>(time) * weights[i] / sum));
    spent[i] += part;
    left -= part;
  }
  spent[heaviest] += left;
}

void share_wait(Picoseconds time, const MeanRequest& request, double alone, CauseTimes& spent) {
  std::array<double, kCauseCount> weights{};
  const auto weight = [&](Cause cause) -> double& { return weights[static_cast<int>(cause)]; };
  const double exposed = request.alone() > 0 ? alone / request.alone() : 0;
  weight(Cause::kDramBandwidth) = request.bus;
  weight(Cause::kBankConflict) = request.row;
  weight(Cause::kDramLatency) = request.latency * exposed;
  weight(Cause::kNetwork) = request.queued + request.way * exposed;
  weight(Cause::kClusterMemory) = request.cluster;
  weight(Cause::kDma) = request.port;
  share_out(time, weights, spent);
}

// Picoseconds in which the engine issues requests as fast as it can, none of them held up by those in flight.
Picoseconds issue_time(const TransferTimes& times, const DmaSpec& dma, const Clock& clock, Picoseconds begin) {
  if (times.requests <= dma.outstanding_requests) return 0;
  const Picoseconds fastest = clock.to_ps(ceil_div<Cycles>(times.requests, dma.requests_per_cycle));
  const Picoseconds took = times.issued - begin;
  return took <= fastest + fastest / 10 ? took : 0;
}

}  // namespace

void charge_transfer(const ProgramOrder& order, const Hardware& hardware, ProgramPlace place, Picoseconds from,
                     Picoseconds to, CauseTimes& spent) {
  const InstructionTimes& times = order.times(place);
  const auto charge_up_to = [&](Picoseconds end, const auto& charge) {
    if (end = std::min(end, to); end <= from) return;
    charge(end - from);
    from = end;
  };
  const auto to_dma = [&](Picoseconds time) { of(spent, Cause::kDma) += time; };
  const DmaSpec& dma = hardware.core_of(place.core).dma;
  const Picoseconds setup = times.begin + hardware.core_clock.to_ps(dma.setup_cycles);
  charge_up_to(setup, to_dma);
  if (times.transfer < 0 || order.core(place.core).transfer(times.transfer).requests == 0)
    return charge_up_to(to, to_dma);
  const TransferTimes& transfer = order.core(place.core).transfer(times.transfer);
  const MeanRequest request = mean_of(transfer, order.core(place.core).shortest_way());
  charge_up_to(setup + issue_time(transfer, dma, hardware.core_clock, setup), to_dma);
  if (!transfer.pipelined)
    charge_up_to(setup + static_cast<Picoseconds>(request.alone()), [&](Picoseconds time) {
      share_wait(time, {0, 0, request.latency, 0, 0, request.way, 0}, request.alone(), spent);
    });
  const double alone = std::max(0.0, request.alone() - request.waited());
  charge_up_to(to, [&](Picoseconds time) { share_wait(time, request, alone, spent); });
}

}  // namespace tilewright
