#include "sim/machine/core/dma_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"

namespace tilewright {
namespace {

bool is_memory(const Box& box) { return is_memory(box.space, box.owner); }

Bytes padding_bytes(const Transfer& transfer) {
  return (element_count(transfer.shape) - element_count(unpadded(transfer))) * bytes_of(transfer.type);
}

}  // namespace

DmaEngine::DmaEngine(const Hardware& hardware, int core, MemoryServer& dram, MemoryServer* cluster,
                     Scoreboard& scoreboard, StreamOwner& owner, const CoreBuffers& buffers, Waker& waker)
    : hardware_(hardware),
      spec_(hardware.core_of(core).dma),
      clock_(hardware.core_clock),
      core_(static_cast<std::uint16_t>(core)),
      map_(hardware),
      owner_(owner),
      dram_(dram),
      cluster_(cluster),
      buffers_(buffers),
      waker_(waker),
      port_(spec_.buffer_bytes_per_cycle, clock_),
      lanes_{Lane{Stream(Unit::kLoad, hardware.core_of(core).control.unit_queue, scoreboard, owner), {}},
             Lane{Stream(Unit::kStore, hardware.core_of(core).control.unit_queue, scoreboard, owner), {}}} {}

void DmaEngine::reset() {
  port_.reset();
  for (Lane& lane : lanes_) {
    lane.stream.reset();
    lane.state = LaneState{};
  }
  state_ = State{};
}

Picoseconds DmaEngine::evaluate(Picoseconds now) {
  if (clock_.align_up(now) > now) return clock_.align_up(now);
  if (const Cycles cycle = clock_.floor(now); cycle != state_.cycle) {
    state_.cycle = cycle;
    state_.issued_now = 0;
  }
  do {
    for (int lane = 0; lane < 2; ++lane) {
      while (start_next(lane, now)) {
      }
    }
  } while (issue_requests(now));
  Picoseconds next = answer_guests(now);
  for (int lane = 0; lane < 2; ++lane) next = std::min({next, retire(lanes_[lane], now), next_issue(lane, now)});
  return next;
}

Picoseconds DmaEngine::retire(Lane& lane, Picoseconds now) {
  const Picoseconds ready = lane.stream.retire(now);
  for (; lane.state.first != lane.stream.first_number(); ++lane.state.first) lane.state.jobs.pop_front();
  return ready;
}

// The next instruction of a lane starts when the one before has issued all its requests.
bool DmaEngine::start_next(int lane_index, Picoseconds now) {
  Lane& lane = lanes_[lane_index];
  retire(lane, now);
  if (lane.state.issue.instruction) return false;
  const Instruction* instruction = lane.stream.start(now);
  if (!instruction) return false;
  lane.state.jobs.push_back(Job{});
  if (!is_sync(*instruction)) begin(lane, *instruction, now);
  return true;
}

void DmaEngine::begin(Lane& lane, const Instruction& instruction, Picoseconds now) {
  const auto& transfer = std::get<Transfer>(instruction.payload);
  Issue& issue = lane.state.issue;
  issue = Issue{};
  issue.instruction = &instruction;
  issue.number = lane.stream.number_of_last();
  issue.from = now + clock_.to_ps(spec_.setup_cycles);
  begin_requests(issue, transfer);
  const Bytes padding = padding_bytes(transfer);
  Job& job = lane.state.jobs.back();
  job.instruction = &instruction;
  job.times.pipelined = lane.state.jobs.size() > 1;
  job.ready = padding > 0 ? port_.pass(padding, issue.from) : issue.from;
  state_.padding_bytes += padding;
  count_buffer(transfer, instruction.op);
  if (!issue.reads_left() && !issue.writes_left()) end_issue(lane, now);
}

void DmaEngine::begin_requests(Issue& issue, const Transfer& transfer) const {
  const Bytes element = bytes_of(transfer.type);
  if (const Box& from = transfer.source; is_memory(from)) {
    issue.reads = {RunWalker(unpadded(transfer), from.stride, first_address(from), element), limits_of(from)};
  }
  if (const Box& to = transfer.target; is_memory(to)) {
    issue.writes = {RunWalker(transfer.shape, to.stride, first_address(to), element), limits_of(to)};
    if (!issue.writes.done()) issue.next_write = issue.writes.next();
  }
}

// In the chip's map, or in the cluster memory of this core.
Address DmaEngine::first_address(const Box& box) const {
  return box.owner == kOwnMemory ? box.address : map_.base_of(box.space, box.owner) + box.address;
}

// What a request to another core's buffers touches at least is a flit.
RequestLimits DmaEngine::limits_of(const Box& box) const {
  if (box.space != Space::kDram && box.space != Space::kCluster) {
    const Bytes flit = hardware_.network.flit_bytes;
    return {spec_.request_bytes, std::max(flit, spec_.request_bytes), flit};
  }
  if (box.space == Space::kDram) return dram_request_limits(hardware_, spec_);
  const Bytes line = hardware_.memory_of(box.owner == kOwnMemory ? hardware_.cluster_of(core_) : box.owner)->line_bytes;
  return {spec_.request_bytes, std::max(line, spec_.request_bytes), line};
}

void DmaEngine::count_buffer(const Transfer& transfer, int op) {
  const Bytes bytes = element_count(transfer.shape) * bytes_of(transfer.type);
  if (!is_memory(transfer.source)) buffers_.read(transfer.source.space, op, bytes);
  if (!is_memory(transfer.target)) buffers_.write(transfer.target.space, op, bytes);
}

bool DmaEngine::issue_requests(Picoseconds now) {
  bool issued = false;
  while (state_.issued_now < spec_.requests_per_cycle && slot_left()) {
    const int first = state_.turn;
    if (!issue_one(first, now) && !issue_one(1 - first, now)) break;
    issued = true;
  }
  return issued;
}

// Whether one request more may be under way. The last place is kept for a store in turn that waits for the port to the
// buffers: the port is held by the answers to loads, each of which would leave its place to the next load.
bool DmaEngine::has_place(int lane, Picoseconds now) const {
  const auto left = spec_.outstanding_requests - state_.outstanding.used();
  return left > 1 || (left == 1 && (lane == state_.turn || !waits_for_port(lanes_[state_.turn], now)));
}

bool DmaEngine::waits_for_port(const Lane& lane, Picoseconds now) const {
  const Issue& issue = lane.state.issue;
  return issue.instruction && issue.from <= now && issue.writes_left() &&
         !is_memory(std::get<Transfer>(issue.instruction->payload).source) && !may_write(lane, now);
}

bool DmaEngine::issue_one(int lane_index, Picoseconds now) {
  Lane& lane = lanes_[lane_index];
  Issue& issue = lane.state.issue;
  if (!issue.instruction || issue.from > now || !has_place(lane_index, now)) return false;
  if (issue.writes_left() && may_write(lane, now)) {
    issue_write(lane_index, now);
  } else if (issue.reads_left() && may_read(issue)) {
    issue_read(lane_index, now);
  } else {
    return false;
  }
  ++state_.issued_now;
  state_.turn = 1 - lane_index;
  if (!issue.reads_left() && !issue.writes_left()) end_issue(lane, now);
  return true;
}

// The adders of the network have room for so many sums of a core.
bool DmaEngine::may_read(const Issue& issue) const {
  return !std::get<Transfer>(issue.instruction->payload).sums() || state_.sums < hardware_.network.reduction;
}

// A store's data must pass the buffer port; a copy writes what it has read.
bool DmaEngine::may_write(const Lane& lane, Picoseconds now) const {
  const Issue& issue = lane.state.issue;
  const auto& transfer = std::get<Transfer>(issue.instruction->payload);
  if (!is_memory(transfer.source)) return port_.free_at() < now + clock_.period_ps;
  return issue.written + issue.next_write.useful <= lane.state.jobs.back().arrived;
}

void DmaEngine::issue_write(int lane_index, Picoseconds now) {
  Lane& lane = lanes_[lane_index];
  Issue& issue = lane.state.issue;
  const auto& transfer = std::get<Transfer>(issue.instruction->payload);
  const PlainRequest request = issue.next_write;
  issue.next_write = issue.writes.done() ? PlainRequest{} : issue.writes.next();
  issue.written += request.useful;
  Job& job = lane.state.jobs.back();
  if (!is_memory(transfer.source)) pass_port(job, request.useful, now);
  state_.write_bytes += request.useful;
  send_request(lane_index, request, transfer, true, now);
}

void DmaEngine::pass_port(Job& job, Bytes bytes, Picoseconds now) {
  const Picoseconds passed = port_.pass(bytes, now);
  job.times.port += passed - now;
  job.ready = std::max(job.ready, passed);
}

void DmaEngine::issue_read(int lane_index, Picoseconds now) {
  Issue& issue = lanes_[lane_index].state.issue;
  const PlainRequest request = issue.reads.next();
  state_.read_bytes += request.useful;
  send_request(lane_index, request, std::get<Transfer>(issue.instruction->payload), false, now);
}

void DmaEngine::send_request(int lane_index, const PlainRequest& request, const Transfer& transfer, bool write,
                             Picoseconds now) {
  Lane& lane = lanes_[lane_index];
  const bool to_buffer = !write && !is_memory(transfer.target);
  ++lane.state.jobs.back().outstanding;
  ++state_.requests;
  const bool sum = !write && transfer.sums();
  state_.sums += sum ? 1 : 0;
  const std::uint32_t tag = state_.outstanding.acquire(
      {static_cast<std::uint8_t>(lane_index), write, to_buffer, lane.state.issue.number, request.useful, now, sum});
  const Box& box = write ? transfer.target : transfer.source;
  const bool cached = transfer.cached && !write && box.space == Space::kDram;
  MemoryServer& server = box.space == Space::kCluster && box.owner == kOwnMemory ? *cluster_ : dram_;
  server.memory_request({request.address,
                         static_cast<std::int32_t>(request.bytes),
                         write,
                         cached,
                         lane.state.issue.instruction->op,
                         core_,
                         tag,
                         {},
                         sum ? transfer.summed : Owners{}},
                        now);
}

void DmaEngine::send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) {
  const Space space = map_.place_of(request.address).space;
  if (request.write) {
    buffers_.write(space, request.op, request.bytes);
  } else {
    buffers_.read(space, request.op, request.bytes);
  }
  state_.guest_bytes += request.bytes;
  const Picoseconds done = clock_.align_up(port_.pass(request.bytes, clock_.align_up(now)));
  state_.guests.push_back({request, &client, done});
  waker_.wake_at(state_.guests.front().done);
}

// Returns when the next one has passed the port.
Picoseconds DmaEngine::answer_guests(Picoseconds now) {
  while (!state_.guests.empty() && state_.guests.front().done <= now) {
    const Guest guest = state_.guests.front();
    state_.guests.pop_front();
    guest.client->memory_done(guest.request, now);
  }
  return state_.guests.empty() ? kNever : state_.guests.front().done;
}

void DmaEngine::end_issue(Lane& lane, Picoseconds now) {
  const std::uint32_t number = lane.state.issue.number;
  lane.state.issue.instruction = nullptr;
  job_of(lane, number).issued_all = true;
  job_of(lane, number).times.issued = now;
  settle(lane, number, now);
}

// The evaluation is needed only for what the answer makes possible; an issuing lane has its own next moment.
void DmaEngine::memory_done(const MemoryRequest& request, Picoseconds now) {
  const bool was_full = is_full();
  const Outstanding done = state_.outstanding[request.tag];
  state_.outstanding.release(request.tag);
  state_.sums -= done.sum ? 1 : 0;
  Lane& lane = lanes_[done.lane];
  Job& job = job_of(lane, done.number);
  --job.outstanding;
  if (!done.write) job.arrived += done.useful;
  job.times.add(request.delay, now - done.sent);
  if (done.to_buffer) pass_port(job, done.useful, now);
  const bool feeds_copy = !done.write && !done.to_buffer && !job.issued_all;
  if (settle(lane, done.number, now) || was_full || feeds_copy) waker_.wake_at(clock_.align_up(now));
}

// Returns whether the job has all its answers; it may complete once its data have passed the port.
bool DmaEngine::settle(Lane& lane, std::uint32_t number, Picoseconds now) {
  const Job& job = job_of(lane, number);
  if (!job.issued_all || job.outstanding > 0) return false;
  const Picoseconds ready = clock_.align_up(std::max(job.ready, now));
  owner_.transferred(*job.instruction, job.times, ready);
  lane.stream.finish(number, ready);
  return true;
}

// When the lane can issue next; kNever when an answer from memory has to come first.
Picoseconds DmaEngine::next_issue(int lane_index, Picoseconds now) const {
  const Lane& lane = lanes_[lane_index];
  const Issue& issue = lane.state.issue;
  if (!issue.instruction) return kNever;
  if (issue.from > now) return issue.from;
  if (!has_place(lane_index, now)) return kNever;
  const Picoseconds next_cycle = now + clock_.period_ps;
  if (issue.reads_left()) return may_read(issue) ? next_cycle : kNever;
  const auto& transfer = std::get<Transfer>(issue.instruction->payload);
  if (!is_memory(transfer.source)) {
    return std::max(next_cycle, clock_.to_ps(clock_.floor(port_.free_at())));
  }
  return may_write(lane, now) ? next_cycle : kNever;
}

std::string DmaEngine::waiting_for() const {
  std::string reasons = lanes_[0].stream.waiting_for();
  const std::string store = lanes_[1].stream.waiting_for();
  if (!reasons.empty() && !store.empty()) reasons += "; ";
  reasons += store;
  if (state_.outstanding.used() > 0) reasons += fmt::format("; {} memory requests", state_.outstanding.used());
  return reasons;
}

void DmaEngine::add_probes(Probes& probes) const {
  lanes_[0].stream.add_probes("load", probes);
  lanes_[1].stream.add_probes("store", probes);
  probes.push_back({"requests", bits_for(spec_.outstanding_requests),
                    [this] { return static_cast<std::uint64_t>(state_.outstanding.used()); }});
}

void DmaEngine::add_statistics(const std::string& prefix, const RunSpan& run, Statistics& statistics) const {
  SIM_CHECK(port_.busy() <= run.length(), "{}: buffer port busy {} ps of {}", prefix, port_.busy(), run.length());
  const std::string unit = prefix + ".dma";
  statistics.add(unit + ".requests", "requests", "memory requests sent", static_cast<double>(state_.requests));
  statistics.add(unit + ".read_bytes", "bytes", "read from DRAM or cluster memory",
                 static_cast<double>(state_.read_bytes));
  statistics.add(unit + ".write_bytes", "bytes", "written to DRAM or cluster memory",
                 static_cast<double>(state_.write_bytes));
  statistics.add(unit + ".padding_bytes", "bytes", "padding written to buffers",
                 static_cast<double>(state_.padding_bytes));
  if (state_.guest_bytes > 0)
    statistics.add(unit + ".guest_bytes", "bytes", "of its buffers, read and written by other cores",
                   static_cast<double>(state_.guest_bytes));
  statistics.add(unit + ".port_busy_cycles", "cycles", "the port to the buffers moves data",
                 static_cast<double>(port_.busy()) / static_cast<double>(clock_.period_ps));
}

}  // namespace tilewright
