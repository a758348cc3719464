#include "sim/machine/memory/cluster_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "sim/base/error.h"
#include "sim/base/units.h"
#include "sim/hw/timing/address_map.h"

namespace tilewright {

ClusterCache::ClusterCache(const Hardware& hardware, int cluster, MemoryPath& memory, EventMeter& meter, Waker& waker)
    : hardware_(hardware),
      spec_(*hardware.memory_of(cluster)),
      map_(hardware),
      clock_(hardware.core_clock),
      first_core_(cluster * hardware.cores_per_cluster),
      memory_(memory),
      meter_(meter),
      waker_(waker),
      tags_(spec_.cache_capacity(), spec_.line_bytes, spec_.ways - spec_.addressed_ways) {}

void ClusterCache::reset(const Program& program) {
  tags_.clear();
  state_ = State{};
  state_.misses.resize(spec_.mshrs);
  state_.bank_free.resize(spec_.banks);
  constants_.clear();
  for (const Segment& segment : program.segments) {
    if (may_be_written(segment.kind)) continue;
    constants_.push_back({segment.address, segment.address + segment.bytes});
  }
  std::sort(constants_.begin(), constants_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
}

// A line is constant when it lies wholly in a segment that is never written.
bool ClusterCache::is_constant(Address address) const {
  auto range = std::upper_bound(constants_.begin(), constants_.end(), address,
                                [](Address value, const Range& r) { return value < r.begin; });
  return range != constants_.begin() && address + spec_.line_bytes <= std::prev(range)->end;
}

Bytes ClusterCache::overlap(const MemoryRequest& request, Address line) const {
  const Address begin = std::max(request.address, line * spec_.line_bytes);
  return std::min(request.address + request.bytes, (line + 1) * spec_.line_bytes) - begin;
}

void ClusterCache::memory_request(const MemoryRequest& request, Picoseconds now) {
  access_directly(request, *clients_[request.core - first_core_], now);
}

void ClusterCache::send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) {
  MemoryRequest local = request;
  local.address = map_.place_of(request.address).offset;
  access_directly(local, client, now);
}

void ClusterCache::access_directly(const MemoryRequest& request, MemoryClient& client, Picoseconds now) {
  const Address first = request.address / spec_.line_bytes;
  const Address last = (request.address + request.bytes - 1) / spec_.line_bytes;
  const std::uint32_t pending = state_.pending.acquire({request, static_cast<int>(last - first) + 1, &client});
  ++state_.direct;
  meter_.add(request.op, request.write ? Event::kClusterWriteBytes : Event::kClusterReadBytes, request.bytes);
  for (Address line = first; line <= last; ++line) access_bank(line, pending, now);
}

void ClusterCache::cached_read(const MemoryRequest& request, Picoseconds now) {
  const Address first = request.address / spec_.line_bytes;
  const Address last = (request.address + request.bytes - 1) / spec_.line_bytes;
  MemoryClient* const client = clients_[request.core - first_core_];
  const std::uint32_t pending = state_.pending.acquire({request, static_cast<int>(last - first) + 1, client});
  meter_.add(request.op, Event::kClusterReadBytes, request.bytes);
  for (Address line = first; line <= last; ++line) look_up(line, pending, now);
}

void ClusterCache::written(const MemoryRequest& request) {
  const Address last = (request.address + request.bytes - 1) / spec_.line_bytes;
  for (Address line = request.address / spec_.line_bytes; line <= last; ++line) tags_.drop(line);
}

void ClusterCache::look_up(Address line, std::uint32_t pending, Picoseconds now) {
  if (tags_.touch(line)) {
    ++state_.hits;
    access_bank(line, pending, now);
  } else if (!join_miss(line, pending) && !start_miss(line, pending, now)) {
    state_.waiting.push_back({line, pending});
  }
}

bool ClusterCache::join_miss(Address line, std::uint32_t pending) {
  for (Miss& miss : state_.misses) {
    if (miss.line != line || miss.serial != state_.barriers) continue;
    miss.waiters.push_back(pending);
    ++state_.merged;
    return true;
  }
  return false;
}

bool ClusterCache::start_miss(Address line, std::uint32_t pending, Picoseconds now) {
  for (std::size_t i = 0; i < state_.misses.size(); ++i) {
    Miss& miss = state_.misses[i];
    if (miss.line >= 0) continue;
    miss.line = line;
    miss.serial = state_.barriers;
    miss.waiters.push_back(pending);
    ++state_.misses_sent;
    fetch_line(i, now);
    return true;
  }
  return false;
}

void ClusterCache::fetch_line(std::size_t index, Picoseconds now) {
  Miss& miss = state_.misses[index];
  const MemoryRequest& asked = state_.pending[miss.waiters.front()].request;
  const Bytes line = spec_.line_bytes;
  miss.parts_left = 0;
  for_each_chunk(miss.line * line, line, hardware_.dram.interleave_bytes, [&](Address address, Bytes bytes) {
    ++miss.parts_left;
    memory_.send({address, static_cast<std::int32_t>(bytes), false, true, asked.op, asked.core,
                  static_cast<std::uint32_t>(index)},
                 *this, now);
  });
}

void ClusterCache::memory_done(const MemoryRequest& fill, Picoseconds now) {
  Miss& miss = state_.misses[fill.tag];
  meter_.add(fill.op, Event::kClusterWriteBytes, fill.bytes);
  if (--miss.parts_left > 0) return;
  filled(miss, fill.delay, now);
  retry_waiting(now);
}

// A line asked for before a barrier answers its askers but is not kept, unless nobody writes it.
void ClusterCache::filled(Miss& miss, const MemoryDelay& delay, Picoseconds now) {
  const bool constant = is_constant(miss.line * spec_.line_bytes);
  if (constant || miss.serial == state_.barriers) state_.evictions += tags_.fill(miss.line, constant);
  for (const std::uint32_t pending : miss.waiters) {
    state_.pending[pending].request.delay = delay;
    access_bank(miss.line, pending, now);
  }
  miss.waiters.clear();
  miss.line = -1;
}

void ClusterCache::retry_waiting(Picoseconds now) {
  for (std::size_t left = state_.waiting.size(); left > 0; --left) {
    const Waiting waiting = state_.waiting.front();
    if (!tags_.touch(waiting.line) && !join_miss(waiting.line, waiting.pending)) {
      if (!start_miss(waiting.line, waiting.pending, now)) return;
    } else if (tags_.touch(waiting.line)) {
      ++state_.hits;
      access_bank(waiting.line, waiting.pending, now);
    }
    state_.waiting.pop_front();
  }
}

void ClusterCache::access_bank(Address line, std::uint32_t pending, Picoseconds now) {
  const Bytes bytes = overlap(state_.pending[pending].request, line);
  const Picoseconds duration = clock_.to_ps(ceil_div(bytes, spec_.bank_bytes_per_cycle));
  Picoseconds& free_at = state_.bank_free[static_cast<std::size_t>(bank_of(spec_, line))];
  free_at = std::max(free_at, clock_.align_up(now)) + duration;
  state_.bank_busy += duration;
  const Picoseconds ready = free_at + clock_.to_ps(spec_.latency_cycles);
  state_.pending[pending].request.delay.cluster = MemoryDelay::clipped(ready - now);
  line_ready(ready, pending);
}

void ClusterCache::line_ready(Picoseconds time, std::uint32_t pending) {
  state_.due.push_back({time, state_.order++, pending});
  std::push_heap(state_.due.begin(), state_.due.end(), std::greater<>());
  waker_.wake_at(state_.due.front().time);
}

Picoseconds ClusterCache::evaluate(Picoseconds now) {
  while (!state_.due.empty() && state_.due.front().time <= now) {
    const std::uint32_t pending = state_.due.front().pending;
    std::pop_heap(state_.due.begin(), state_.due.end(), std::greater<>());
    state_.due.pop_back();
    if (--state_.pending[pending].lines_left == 0) answer(pending, now);
  }
  return state_.due.empty() ? kNever : state_.due.front().time;
}

void ClusterCache::answer(std::uint32_t pending, Picoseconds now) {
  const Pending done = state_.pending[pending];
  state_.pending.release(pending);
  done.client->memory_done(done.request, now);
}

void ClusterCache::barrier_opened() {
  tags_.drop_written();
  ++state_.barriers;
}

std::string ClusterCache::waiting_for() const {
  if (state_.pending.used() == 0) return "";
  return fmt::format("{} requests not answered, {} lines wait for a miss register", state_.pending.used(),
                     state_.waiting.size());
}

void ClusterCache::add_probes(Probes& probes) const {
  const auto misses = [this] {
    return static_cast<std::uint64_t>(
        std::count_if(state_.misses.begin(), state_.misses.end(), [](const Miss& miss) { return miss.line >= 0; }));
  };
  probes.push_back({"requests", 16, [this] { return static_cast<std::uint64_t>(state_.pending.used()); }});
  probes.push_back({"misses", bits_for(spec_.mshrs), misses});
  probes.push_back({"waiting_lines", 16, [this] { return static_cast<std::uint64_t>(state_.waiting.size()); }});
}

void ClusterCache::add_statistics(const std::string& prefix, const RunSpan& run, Statistics& statistics) const {
  const Picoseconds total = run.length();
  SIM_CHECK(state_.bank_busy <= total * spec_.banks, "{}: banks busy {} ps of {}", prefix, state_.bank_busy,
            total * spec_.banks);
  const auto add = [&](const char* name, const char* unit, const char* what, double value) {
    statistics.add(prefix + "." + name, unit, what, value);
  };
  add("hits", "lines", "cached lines found", static_cast<double>(state_.hits));
  add("misses", "lines", "lines fetched from DRAM", static_cast<double>(state_.misses_sent));
  add("merged", "lines", "misses on a line that was already on its way", static_cast<double>(state_.merged));
  add("evictions", "lines", "valid lines replaced", static_cast<double>(state_.evictions));
  add("direct_requests", "requests", "accesses of the addressed share", static_cast<double>(state_.direct));
  add("bank_busy_cycles", "cycles", "summed over the banks",
      static_cast<double>(state_.bank_busy) / static_cast<double>(clock_.period_ps));
}

}  // namespace tilewright
