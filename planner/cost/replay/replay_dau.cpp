#include "planner/cost/replay/replay_dau.h"

#include <algorithm>

namespace tilewright {
namespace {

// Cycles of requests that are issued in one step: a step costs as much as many requests, and nobody else needs to know
// their order so exactly.
constexpr int kIssuedAtOnce = 4;

bool is_memory(Space space) { return space == Space::kDram || space == Space::kCluster; }

}  // namespace

ReplayDau::ReplayDau(const Hardware& hardware, int core, ReplayMemory& memory, ReplayCache* cache, ReplaySleeper& owner)
    : hardware_(hardware),
      spec_(hardware.core.dau),
      clock_(hardware.core_clock),
      cluster_(hardware.cluster_of(core)),
      memory_(memory),
      cache_(cache),
      owner_(owner) {}

RequestLimits ReplayDau::limits_of(Space space) const {
  if (space == Space::kDram) return {spec_.request_bytes, hardware_.dram.interleave_bytes, hardware_.dram.burst_bytes};
  const Bytes line = hardware_.cluster_memory->line_bytes;
  return {spec_.request_bytes, std::max(line, spec_.request_bytes), line};
}

Picoseconds ReplayDau::pass_port(Bytes bytes, Picoseconds now) {
  port_free_ = std::max(port_free_, now) + bytes * clock_.period_ps / spec_.buffer_bytes_per_cycle;
  return port_free_;
}

void ReplayDau::begin(int index, std::size_t number, const Instruction& instruction, Picoseconds now) {
  const auto& transfer = std::get<Transfer>(instruction.payload);
  Lane& lane = lanes_[index];
  lane.jobs.resize(number + 1);
  lane.instruction = &transfer;
  lane.number = number;
  lane.from = now + clock_.to_ps(spec_.setup_cycles);
  lane.reads = lane.writes = {};
  lane.next_write = {};
  lane.written = 0;
  const Bytes element = bytes_of(transfer.type);
  if (const Box& from = transfer.source; is_memory(from.space))
    lane.reads = {RunWalker(unpadded(transfer), from.stride, from.address, element), limits_of(from.space)};
  if (const Box& to = transfer.target; is_memory(to.space)) {
    lane.writes = {RunWalker(transfer.shape, to.stride, to.address, element), limits_of(to.space)};
    if (!lane.writes.done()) lane.next_write = lane.writes.next();
  }
  const Bytes padding = (element_count(transfer.shape) - element_count(unpadded(transfer))) * element;
  lane.jobs[number].ready = padding > 0 ? pass_port(padding, lane.from) : lane.from;
  if (lane.reads.done() && lane.next_write.bytes == 0) end_issue(index, now);
}

void ReplayDau::issue(Picoseconds now) {
  const Picoseconds until = now + kIssuedAtOnce * clock_.period_ps;
  while (slot_left()) {
    const Picoseconds at = std::max(now, slot_free_);
    if (at >= until || (!issue_one(turn_, at) && !issue_one(1 - turn_, at))) return;
    slot_free_ = at + clock_.period_ps / spec_.requests_per_cycle;
  }
}

bool ReplayDau::issue_one(int index, Picoseconds now) {
  Lane& lane = lanes_[index];
  if (!lane.instruction || lane.from > now) return false;
  if (lane.next_write.bytes > 0 && may_write(lane, now)) {
    const PlainRequest request = lane.next_write;
    lane.next_write = lane.writes.done() ? PlainRequest{} : lane.writes.next();
    lane.written += request.useful;
    Job& job = lane.jobs[lane.number];
    if (!is_memory(lane.instruction->source.space)) job.ready = std::max(job.ready, pass_port(request.useful, now));
    send(index, request, true, now);
  } else if (!lane.reads.done()) {
    send(index, lane.reads.next(), false, now);
  } else {
    return false;
  }
  turn_ = 1 - index;
  if (lane.reads.done() && lane.next_write.bytes == 0) end_issue(index, now);
  return true;
}

// A store's data must pass the port; a copy writes what it has read.
bool ReplayDau::may_write(const Lane& lane, Picoseconds now) const {
  if (!is_memory(lane.instruction->source.space)) return port_free_ < now + clock_.period_ps;
  return lane.written + lane.next_write.useful <= lane.jobs[lane.number].arrived;
}

void ReplayDau::send(int index, const PlainRequest& plain, bool write, Picoseconds now) {
  Lane& lane = lanes_[index];
  const Transfer& transfer = *lane.instruction;
  const std::uint32_t tag =
      outstanding_.acquire({index, lane.number, write ? 0 : plain.useful, !write && !is_memory(transfer.target.space)});
  ++lane.jobs[lane.number].outstanding;
  const ReplayRequest request{plain.address, plain.bytes, write, cluster_, tag};
  if ((write ? transfer.target : transfer.source).space != Space::kDram) return cache_->direct(request, *this, now);
  if (cache_ && transfer.cached && !write) return cache_->cached_read(request, *this, now);
  if (cache_ && write) cache_->written(request);
  memory_.send(request, *this, now);
}

void ReplayDau::end_issue(int index, Picoseconds now) {
  Lane& lane = lanes_[index];
  lane.instruction = nullptr;
  lane.jobs[lane.number].issued_all = true;
  settle(lane, lane.number, now);
}

// Whether the job has all its answers: it may complete once its data have passed the port.
bool ReplayDau::settle(Lane& lane, std::size_t number, Picoseconds now) {
  const Job& job = lane.jobs[number];
  if (!job.issued_all || job.outstanding > 0) return false;
  lane.stream.finish(number, clock_.align_up(std::max(job.ready, now)));
  return true;
}

void ReplayDau::answered(const ReplayRequest& request, Picoseconds time) {
  const bool was_full = !slot_left();
  const Outstanding done = outstanding_[request.tag];
  outstanding_.release(request.tag);
  Lane& lane = lanes_[done.lane];
  Job& job = lane.jobs[done.number];
  --job.outstanding;
  job.arrived += done.useful;
  job.ready = std::max(job.ready, done.to_buffer ? pass_port(done.useful, time) : time);
  const bool feeds_copy = done.useful > 0 && !done.to_buffer && !job.issued_all;
  if (settle(lane, done.number, time) || was_full || feeds_copy) owner_.wake_at(clock_.align_up(time));
}

Picoseconds ReplayDau::next_issue(Picoseconds now) const {
  Picoseconds next = kNever;
  for (const Lane& lane : lanes_) {
    if (!lane.instruction) continue;
    const Picoseconds soon = std::max(now + clock_.period_ps, clock_.align_up(slot_free_));
    if (lane.from > now)
      next = std::min(next, lane.from);
    else if (slot_left() && (!lane.reads.done() || may_write(lane, soon)))
      next = std::min(next, soon);
    else if (slot_left() && !is_memory(lane.instruction->source.space))
      next = std::min(next, std::max(soon, clock_.to_ps(clock_.floor(port_free_))));
  }
  return next;
}

}  // namespace tilewright
