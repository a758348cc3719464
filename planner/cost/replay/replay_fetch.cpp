#include "planner/cost/replay/replay_fetch.h"

#include <algorithm>

#include "sim/base/grains.h"
#include "sim/isa/binary.h"

namespace tilewright {

ReplayFetch::ReplayFetch(const Hardware& hardware, int core, const CoreProgram& program, ReplayMemory& memory,
                         ReplaySleeper& owner)
    : spec_(hardware.core.control),
      grain_(hardware.dram.interleave_bytes),
      cluster_(hardware.cluster_of(core)),
      program_(program),
      memory_(memory),
      owner_(owner),
      total_(encoded_size(program)) {
  if (!over()) next_end_ = encoded_size(program.instructions[0]);
}

Picoseconds ReplayFetch::next_ready() const {
  if (over()) return kNever;
  const auto blocks = static_cast<std::size_t>(ceil_div(next_end_, spec_.fetch_bytes) - first_block_);
  if (blocks > blocks_.size()) return kNever;
  Picoseconds ready = 0;
  for (std::size_t i = 0; i < blocks; ++i) ready = std::max(ready, blocks_[i].missing > 0 ? kNever : blocks_[i].ready);
  return ready;
}

void ReplayFetch::take() {
  for (; !blocks_.empty() && (first_block_ + 1) * spec_.fetch_bytes <= next_end_; ++first_block_) blocks_.pop_front();
  ++next_;
  if (!over()) next_end_ += encoded_size(program_.instructions[next_]);
}

void ReplayFetch::fetch_ahead(Picoseconds now) {
  while (requested_ < total_ && (static_cast<int>(blocks_.size()) < spec_.fetch_ahead || requested_ < next_end_))
    request_block(now);
}

void ReplayFetch::request_block(Picoseconds now) {
  const auto block = static_cast<std::uint32_t>(first_block_ + static_cast<std::int64_t>(blocks_.size()));
  const Bytes size = std::min(spec_.fetch_bytes, total_ - requested_);
  blocks_.push_back({size});
  for_each_grain(program_.fetch_address + requested_, size, grain_, [&](Address address, Bytes bytes) {
    memory_.send({address, bytes, false, cluster_, block}, *this, now);
  });
  requested_ += size;
}

void ReplayFetch::answered(const ReplayRequest& request, Picoseconds time) {
  Block& block = blocks_[static_cast<std::size_t>(request.tag - first_block_)];
  block.missing -= request.bytes;
  block.ready = std::max(block.ready, time);
  owner_.wake_at(time);
}

}  // namespace tilewright
