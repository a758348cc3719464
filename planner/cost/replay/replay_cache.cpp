#include "planner/cost/replay/replay_cache.h"

#include <algorithm>
#include <iterator>

#include "sim/base/grains.h"

namespace tilewright {

ReplayCache::ReplayCache(const Hardware& hardware, int cluster, const Program& program, ReplayMemory& memory)
    : spec_(*hardware.cluster_memory),
      grain_(hardware.dram.interleave_bytes),
      clock_(hardware.core_clock),
      cluster_(cluster),
      memory_(memory),
      tags_(spec_.cache_capacity(), spec_.line_bytes, spec_.ways - spec_.addressed_ways),
      bank_free_(spec_.banks, 0) {
  for (const Segment& segment : program.segments)
    if (segment.kind != SegmentKind::kHidden && segment.kind != SegmentKind::kOutput)
      constants_[segment.address] = segment.address + segment.bytes;
}

std::uint32_t ReplayCache::begin(const ReplayRequest& request, ReplayClient& client) {
  return pending_.acquire({request, &client, static_cast<int>(last_line(request) - first_line(request)) + 1});
}

void ReplayCache::cached_read(const ReplayRequest& request, ReplayClient& client, Picoseconds now) {
  const std::uint32_t pending = begin(request, client);
  for (Address line = first_line(request); line <= last_line(request); ++line)
    if (!look_up(line, pending, now)) waiting_.push_back({line, pending});
}

void ReplayCache::direct(const ReplayRequest& request, ReplayClient& client, Picoseconds now) {
  const std::uint32_t pending = begin(request, client);
  for (Address line = first_line(request); line <= last_line(request); ++line) access_bank(line, pending, now);
}

void ReplayCache::written(const ReplayRequest& request) {
  for (Address line = first_line(request); line <= last_line(request); ++line) tags_.drop(line);
}

void ReplayCache::barrier_opened() {
  tags_.drop_written();
  ++barriers_;
}

// False when the line has to be fetched and no miss register is free.
bool ReplayCache::look_up(Address line, std::uint32_t pending, Picoseconds now) {
  if (tags_.touch(line)) {
    access_bank(line, pending, now);
    return true;
  }
  const auto known = on_the_way_.find({line, barriers_});
  if (known != on_the_way_.end()) {
    misses_[known->second].waiters.push_back(pending);
    return true;
  }
  if (misses_.used() == spec_.mshrs) return false;
  const std::uint32_t miss = misses_.acquire({line, barriers_, 0, {pending}});
  on_the_way_[{line, barriers_}] = miss;
  fetch(miss, now);
  return true;
}

void ReplayCache::fetch(std::uint32_t miss, Picoseconds now) {
  for_each_grain(misses_[miss].line * spec_.line_bytes, spec_.line_bytes, grain_, [&](Address address, Bytes bytes) {
    ++misses_[miss].parts_left;
    memory_.send({address, bytes, false, cluster_, miss}, *this, now);
  });
}

bool ReplayCache::is_constant(Address line) const {
  const auto behind = constants_.upper_bound(line * spec_.line_bytes);
  return behind != constants_.begin() && (line + 1) * spec_.line_bytes <= std::prev(behind)->second;
}

// A line asked for before a barrier answers its askers but is not kept, unless nobody writes it.
void ReplayCache::answered(const ReplayRequest& fill, Picoseconds now) {
  if (--misses_[fill.tag].parts_left > 0) return;
  const Miss miss = std::move(misses_[fill.tag]);
  const bool constant = is_constant(miss.line);
  if (constant || miss.barriers == barriers_) tags_.fill(miss.line, constant);
  for (const std::uint32_t pending : miss.waiters) access_bank(miss.line, pending, now);
  on_the_way_.erase({miss.line, miss.barriers});
  misses_.release(fill.tag);
  while (!waiting_.empty() && look_up(waiting_.front().line, waiting_.front().pending, now)) waiting_.pop_front();
}

void ReplayCache::access_bank(Address line, std::uint32_t pending, Picoseconds now) {
  const ReplayRequest& request = pending_[pending].request;
  const Address begin = std::max(request.address, line * spec_.line_bytes);
  const Bytes bytes = std::min(request.address + request.bytes, (line + 1) * spec_.line_bytes) - begin;
  Picoseconds& free = bank_free_[static_cast<std::size_t>(line % spec_.banks)];
  free = std::max(free, clock_.align_up(now)) + clock_.to_ps(ceil_div(bytes, spec_.bank_bytes_per_cycle));
  line_ready(pending, free + clock_.to_ps(spec_.latency_cycles));
}

void ReplayCache::line_ready(std::uint32_t index, Picoseconds time) {
  Pending& pending = pending_[index];
  pending.ready = std::max(pending.ready, time);
  if (--pending.lines_left > 0) return;
  const Pending done = pending;
  pending_.release(index);
  done.client->answered(done.request, done.ready);
}

}  // namespace tilewright
