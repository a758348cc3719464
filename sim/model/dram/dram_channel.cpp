#include "sim/model/dram/dram_channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/base/error.h"
#include "sim/base/units.h"
#include "sim/model/kernel/chip_module.h"

namespace tilewright {

namespace {

// Consecutive bytes from a multiple of this on lie in one row of one pseudo channel.
Bytes run_bytes_of(const DramSpec& spec) {
  const Bytes chunk = spec.pseudo_interleave_bytes > 0 ? spec.pseudo_interleave_bytes : spec.interleave_bytes;
  const bool columns_first = !spec.mapping.empty() && spec.mapping.front().field == AddressField::kColumn;
  const Bytes row = columns_first ? spec.burst_bytes << spec.mapping.front().bits : spec.burst_bytes;
  return std::max(spec.burst_bytes, std::gcd(chunk, row));
}

}  // namespace

DramChannel::DramChannel(sc_core::sc_module_name name, const DramSpec& spec, int channel, EventMeter& meter,
                         FaultSink& faults)
    : ChipModule(name, "dram_channel"),
      spec_(spec),
      channel_(channel),
      faults_(faults),
      run_bytes_(run_bytes_of(spec)) {
  for (int i = 0; i < spec.pseudo_channels; ++i) controllers_.emplace_back(spec, &meter);
  state_.due.assign(controllers_.size(), kNeverCycle);
  SC_HAS_PROCESS(DramChannel);
  SC_METHOD(evaluate_guarded);
  sensitive << wake_ << arrived_;
  dont_initialize();
}

void DramChannel::reset() {
  for (DramController& controller : controllers_) controller.reset();
  state_ = State();
  state_.due.assign(controllers_.size(), kNeverCycle);
  state_.origin = kernel_now();
  wake_.cancel();
  arrived_.cancel();
}

Picoseconds DramChannel::elapsed() const { return kernel_now() - state_.origin; }

void DramChannel::memory_request(const MemoryRequest& request, Picoseconds) {
  std::vector<MemoryRequest>& incoming = state_.incoming;
  auto place = incoming.end();
  while (place != incoming.begin() && std::prev(place)->core > request.core) --place;
  incoming.insert(place, request);
  arrived_.notify(sc_core::SC_ZERO_TIME);
}

void DramChannel::evaluate_guarded() {
  try {
    faults_.activated();
    evaluate();
  } catch (...) {
    faults_.fault(std::current_exception());
  }
}

void DramChannel::evaluate() {
  const Picoseconds now = elapsed();
  if (state_.wake <= now) state_.wake = kNever;
  take_incoming(spec_.clock.ceil(now));
  collect(spec_.clock.floor(now));
  answer(now);
  schedule_wakeup(now);
}

void DramChannel::take_incoming(Cycles arrival) {
  for (const MemoryRequest& request : state_.incoming) {
    split(request);
    const std::uint32_t slot =
        state_.in_flight.acquire({request, static_cast<int>(parts_.size()), arrival, 0, 0, 0, state_.accepted++});
    for (Part& part : parts_) {
      part.request.id = slot;
      controllers_[part.pseudo_channel].push(part.request, arrival);
      Cycles& due = state_.due[part.pseudo_channel];
      due = std::min(due, arrival + (request.write ? 0 : 1 + spec_.timing.CL + spec_.timing.burst));
    }
  }
  state_.incoming.clear();
}

// Into one request per row touched; a burst touched in part is transferred whole. Bursts up to the next multiple of
// run_bytes_ differ in their column only.
void DramChannel::split(const MemoryRequest& request) {
  SIM_CHECK(request.bytes > 0, "DRAM request of {} bytes", request.bytes);
  const ChannelAddress start = locate(spec_, request.address);
  SIM_CHECK(start.channel == channel_, "request for DRAM channel {} sent to channel {}", start.channel, channel_);
  parts_.clear();
  for_each_chunk(start.offset, request.bytes, run_bytes_, [&](Address at, Bytes bytes) {
    const Address bursts = ceil_div<Address>(at + bytes, spec_.burst_bytes) - at / spec_.burst_bytes;
    add_bursts(coordinate_of(spec_, at), static_cast<int>(bursts), request);
  });
}

void DramChannel::add_bursts(const DramCoordinate& at, int bursts, const MemoryRequest& request) {
  const int bank = at.bank_group * spec_.banks_per_group + at.bank;
  for (Part& part : parts_)
    if (part.pseudo_channel == at.pseudo_channel && part.request.bank == bank && part.request.row == at.row) {
      part.request.bursts += bursts;
      return;
    }
  parts_.push_back({at.pseudo_channel, {bank, at.row, bursts, request.write, request.op, 0}});
}

// A controller that cannot have completed anything is left alone: the more commands it decides at once, the better.
void DramChannel::collect(Cycles now) {
  if (spec_.shared_command_bus) return collect_in_turn(now);
  for (std::size_t i = 0; i < controllers_.size(); ++i) {
    if (state_.due[i] > now) continue;
    controllers_[i].advance(now);
    take_completions(controllers_[i]);
    state_.due[i] = controllers_[i].next_wakeup();
  }
}

// On one command bus what one controller does depends on the others.
void DramChannel::collect_in_turn(Cycles now) {
  if (*std::ranges::min_element(state_.due) > now) return;
  state_.bus.advance(controllers_, now);
  for (std::size_t i = 0; i < controllers_.size(); ++i) {
    take_completions(controllers_[i]);
    state_.due[i] = controllers_[i].next_wakeup();
  }
}

void DramChannel::take_completions(DramController& controller) {
  for (const DramCompletion& completion : controller.completions()) part_done(completion);
  controller.completions().clear();
}

void DramChannel::part_done(const DramCompletion& completion) {
  InFlight& request = state_.in_flight[completion.id];
  if (completion.clock >= request.done) {
    request.done = completion.clock;
    request.bus = completion.bus;
    request.row = completion.row;
  }
  if (--request.parts_left > 0) return;
  const Cycles pipeline = request.request.write ? 0 : spec_.controller_clocks;
  state_.answers.push_back({request.done + pipeline, request.order, completion.id});
  std::push_heap(state_.answers.begin(), state_.answers.end(), later);
}

MemoryDelay DramChannel::delay_of(const InFlight& request) const {
  const Cycles pipeline = request.request.write ? 0 : spec_.controller_clocks;
  const auto ps = [&](Cycles clocks) { return MemoryDelay::clipped(spec_.clock.to_ps(clocks)); };
  return {.bus = ps(request.bus),
          .row = ps(request.row),
          .latency = ps(request.done - request.arrival - request.bus - request.row + pipeline)};
}

bool DramChannel::later(const Answer& a, const Answer& b) {
  return a.clock != b.clock ? a.clock > b.clock : a.order > b.order;
}

void DramChannel::answer(Picoseconds now) {
  SIM_CHECK(client_ != nullptr, "DRAM channel {} has no client", channel_);
  const Cycles clock = spec_.clock.floor(now);
  while (!state_.answers.empty() && state_.answers.front().clock <= clock) {
    std::pop_heap(state_.answers.begin(), state_.answers.end(), later);
    const std::uint32_t slot = state_.answers.back().slot;
    state_.answers.pop_back();
    MemoryRequest request = state_.in_flight[slot].request;
    request.delay = delay_of(state_.in_flight[slot]);
    state_.in_flight.release(slot);
    client_->memory_done(request, state_.origin + now);
  }
}

void DramChannel::schedule_wakeup(Picoseconds now) {
  Cycles clock = state_.answers.empty() ? kNeverCycle : state_.answers.front().clock;
  for (const Cycles due : state_.due) clock = std::min(clock, due);
  if (clock == kNeverCycle) return;
  const Picoseconds wake = spec_.clock.to_ps(clock), delay = wake - now;
  SIM_CHECK(delay > 0, "DRAM channel {} wants to wake in the past", channel_);
  if (wake >= state_.wake) return;  // to be woken too early costs less than to take the notification back
  state_.wake = wake;
  wake_.notify(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(delay)));
}

Picoseconds DramChannel::settle() {
  const Cycles now = spec_.clock.floor(elapsed());
  if (spec_.shared_command_bus) return spec_.clock.to_ps(state_.bus.drain(controllers_, now));
  Cycles quiet = 0;
  for (DramController& controller : controllers_) {
    controller.advance(now);
    quiet = std::max(quiet, controller.drain());
  }
  return spec_.clock.to_ps(quiet);
}

std::string DramChannel::waiting_for() const {
  std::string text;
  for (const DramController& controller : controllers_)
    if (const std::string one = controller.waiting_for(); !one.empty()) text += (text.empty() ? "" : "; ") + one;
  if (text.empty() && state_.in_flight.used() > 0) text = fmt::format("{} answers due", state_.in_flight.used());
  return text;
}

namespace {

DramCounters operator+(DramCounters sum, const DramCounters& other) {
  sum.reads += other.reads;
  sum.writes += other.writes;
  sum.row_hits += other.row_hits;
  sum.row_misses += other.row_misses;
  sum.row_conflicts += other.row_conflicts;
  sum.activates += other.activates;
  sum.precharges += other.precharges;
  sum.refreshes += other.refreshes;
  sum.read_bursts += other.read_bursts;
  sum.write_bursts += other.write_bursts;
  sum.read_latency += other.read_latency;
  sum.reads_done += other.reads_done;
  return sum;
}

}  // namespace

void DramChannel::add_probes(Probes& probes) const {
  probes.push_back({"requests", 16,
                    [this] { return static_cast<std::uint64_t>(state_.in_flight.used()) + state_.incoming.size(); }});
}

void DramChannel::add_activity(std::vector<const sc_core::sc_event*>& events) const {
  events.insert(events.end(), {&wake_, &arrived_});
}

void DramChannel::add_statistics(const RunSpan&, Statistics& statistics) {
  DramCounters sum;
  for (const DramController& controller : controllers_) sum = sum + controller.counters();
  const auto add = [&](const char* name, const char* unit, const char* description, double value) {
    statistics.add(fmt::format("dram{}.{}", channel_, name), unit, description, value);
  };
  const auto count = [](std::int64_t value) { return static_cast<double>(value); };
  add("reads", "requests", "read runs inside one row", count(sum.reads));
  add("writes", "requests", "write runs inside one row", count(sum.writes));
  add("row_hits", "requests", "found their row open", count(sum.row_hits));
  add("row_misses", "requests", "found no row open", count(sum.row_misses));
  add("row_conflicts", "requests", "found another row open", count(sum.row_conflicts));
  add("activates", "rows", "rows opened", count(sum.activates));
  add("refreshes", "refreshes", "all-bank refreshes", count(sum.refreshes));
  add("read_bytes", "bytes", "read bursts", count(sum.read_bursts * spec_.burst_bytes));
  add("write_bytes", "bytes", "write bursts", count(sum.write_bursts * spec_.burst_bytes));
  add("busy_cycles", "DRAM clocks", "data on the bus, summed over pseudo channels",
      count((sum.read_bursts + sum.write_bursts) * spec_.timing.burst));
  add("completed_reads", "requests", "read runs whose last data beat has come", count(sum.reads_done));
  add("read_latency_total", "DRAM clocks", "from arrival to last data beat, summed over read runs",
      count(sum.read_latency));
  add("average_read_latency", "DRAM clocks", "from arrival to last data beat, per read run",
      sum.reads_done == 0 ? 0 : count(sum.read_latency) / count(sum.reads_done));
}

}  // namespace tilewright
