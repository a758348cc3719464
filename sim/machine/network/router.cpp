#include "sim/machine/network/router.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "sim/base/error.h"

namespace tilewright {
namespace {

template <typename Mask>
int lowest(Mask mask) {
  return std::countr_zero(mask);
}

// First set bit at or after `pointer`, wrapping. Without a branch: it would be a coin toss.
template <typename Mask>
int round_robin(Mask mask, int pointer) {
  return (lowest(std::rotr(mask, pointer)) + pointer) & (std::numeric_limits<Mask>::digits - 1);
}

}  // namespace

Router::Router(const Shape& shape)
    : shape_(shape),
      fifo_size_(static_cast<int>(std::bit_ceil(static_cast<unsigned>(shape.buffer_flits)))),
      vc_bits_(std::countr_zero(std::bit_ceil(static_cast<unsigned>(shape.virtual_channels)))) {
  SIM_CHECK(shape.inputs <= kMaxPorts && shape.outputs <= kMaxPorts, "a router has {} inputs and {} outputs",
            shape.inputs, shape.outputs);
  SIM_CHECK(shape.virtual_channels >= 1 && shape.virtual_channels <= kMaxChannels, "{} virtual channels",
            shape.virtual_channels);
  SIM_CHECK(shape.buffer_flits >= 1 && shape.buffer_flits <= kMaxBufferFlits, "{} flits of buffer", shape.buffer_flits);
  const std::size_t inputs = shape.inputs, outputs = shape.outputs, vcs = std::size_t{1} << vc_bits_;
  input_vcs_.resize(inputs * vcs);
  fifo_.resize(inputs * vcs * fifo_size_);
  waiting_ = BitSet(static_cast<int>(inputs * vcs));
  sendable_ = waiting_;
  inputs_.resize(inputs);
  Output output;
  output.free_vcs = (1u << shape.virtual_channels) - 1;
  outputs_.assign(outputs, output);
  output_vcs_.assign(outputs * vcs, {static_cast<std::int16_t>(shape.buffer_flits), -1, 0});
  pair_vc_.resize(inputs * outputs);
}

bool Router::accept(int input, int vc, const FlitGroup& group) {
  const int channel = id(input, vc);
  InputVc& state = input_vcs_[channel];
  SIM_CHECK(state.size < shape_.buffer_flits, "input {} channel {} overflows", input, vc);
  group_at(channel, state.first + state.size) = group;
  ++state.size;
  ++buffered_;
  if (state.size > 1) return false;
  if (state.active) {
    refresh(channel);
    return false;
  }
  SIM_CHECK(group.head, "input {} channel {}: a body without its head", input, vc);
  return true;
}

void Router::request_output(int input, int vc, int output, std::uint32_t allowed) {
  InputVc& state = input_vcs_[id(input, vc)];
  state.output = static_cast<std::uint8_t>(output);
  state.allowed = allowed;
  waiting_.insert(id(input, vc));
}

bool Router::return_credits(int output, int vc, int flits) {
  const int channel = id(output, vc);
  output_vcs_[channel].credits = static_cast<std::int16_t>(output_vcs_[channel].credits + flits);
  SIM_CHECK(output_vcs_[channel].credits <= shape_.buffer_flits, "output {} channel {} has too many credits", output,
            vc);
  if (output_vcs_[channel].owner < 0) return false;
  const int owner = output_vcs_[channel].owner;
  if (sendable_.contains(owner)) return false;
  refresh(owner);
  return sendable_.contains(owner);
}

// Brings the "can cross" bit of one input channel up to date.
void Router::refresh(int channel) {
  const InputVc& state = input_vcs_[channel];
  sendable_.assign(channel,
                   state.active && state.size > 0 &&
                       output_vcs_[id(state.output, state.output_vc)].credits >= group_at(channel, state.first).flits);
}

Cycles Router::step(Cycles now, std::vector<Move>& moves) {
  wake_ = kNeverCycle;
  const bool won = !waiting_.empty() && allocate_vcs();
  if (won && shape_.same_cycle_switch) own_granted_vcs();
  if (!sendable_.empty()) {
    request_switch(now);
    grant_switch();
    accept_switch(now, moves);
  }
  if (won && !shape_.same_cycle_switch) own_granted_vcs();
  return next_wake(now);
}

bool Router::allocate_vcs() {
  gather_waiters();
  std::uint64_t once = 0, contested = 0;
  for (const Waiter& waiter : waiters_) {
    const std::uint64_t bit = std::uint64_t{1} << waiter.output;
    contested |= once & bit;
    once |= bit;
  }
  for (const Waiter& waiter : waiters_)
    if ((contested >> waiter.output & 1u) == 0) match_one(waiter, waiter.candidates);
  for (; contested != 0; contested &= contested - 1) match_output(lowest(contested));
  return !winners_.empty();
}

// Channels that ask for at least one free output channel, in ascending order.
void Router::gather_waiters() {
  waiters_.clear();
  waiting_.for_each([this](int channel) {
    const InputVc& state = input_vcs_[channel];
    const std::uint32_t candidates = outputs_[state.output].free_vcs & state.allowed;
    if (candidates != 0) waiters_.push_back({channel, state.output, candidates, 0});
  });
}

// Every free channel of `output` grants one waiter without knowing of the others, then each waiter accepts one: as in
// hardware, two channels may grant the same waiter and leave another with nothing.
void Router::match_output(int output) {
  std::uint32_t asked = 0;
  for (const Waiter& waiter : waiters_)
    if (waiter.output == output) asked |= waiter.candidates;
  for (; asked != 0; asked &= asked - 1) {
    const int vc = lowest(asked), pointer = output_vcs_[id(output, vc)].grant;
    // Distance behind the pointer, those before it last; and who it is.
    std::uint32_t nearest = ~0u;
    for (std::uint32_t i = 0; i < waiters_.size(); ++i) {
      const Waiter& waiter = waiters_[i];
      const bool asks = (waiter.output == output) & (waiter.candidates >> vc & 1u);
      const std::uint32_t distance = static_cast<std::uint16_t>(waiter.id - pointer);
      nearest = std::min(nearest, asks ? distance << 16 | i : ~0u);
    }
    waiters_[nearest & 0xffff].granted |= 1u << vc;
  }
  for (const Waiter& waiter : waiters_)
    if (waiter.output == output && waiter.granted != 0) match_one(waiter, waiter.granted);
}

void Router::match_one(const Waiter& waiter, std::uint32_t granted) {
  const int pointer = input_vcs_[waiter.id].accept;
  const int vc = round_robin(granted, port_of(pointer) == waiter.output ? vc_of(pointer) : 0);
  const int channel = id(waiter.output, vc);
  // A pointer past the last one is as good as 0.
  output_vcs_[channel].grant = static_cast<std::int16_t>(waiter.id + 1);
  input_vcs_[waiter.id].accept = static_cast<std::int16_t>(channel + 1);
  output_vcs_[channel].owner = static_cast<std::int16_t>(waiter.id);
  outputs_[waiter.output].free_vcs &= ~(1u << vc);
  input_vcs_[waiter.id].output_vc = static_cast<std::uint8_t>(vc);
  winners_.push_back(static_cast<std::int16_t>(waiter.id));
}

void Router::own_granted_vcs() {
  for (const int channel : winners_) {
    input_vcs_[channel].active = true;
    waiting_.erase(channel);
    refresh(channel);
  }
  winners_.clear();
}

void Router::request_switch(Cycles now) {
  sendable_.for_each([&](int channel) {
    const int output = input_vcs_[channel].output;
    const Cycles busy = std::max(inputs_[port_of(channel)].busy, outputs_[output].busy);
    if (busy > now) {
      wake_ = std::min(wake_, busy);
    } else {
      choose_for_pair(channel, output);
    }
  });
}

// One request per (input, output): of several channels the next in turn.
void Router::choose_for_pair(int channel, int output) {
  const int input = port_of(channel), vc = vc_of(channel);
  const std::uint64_t bit = std::uint64_t{1} << output;
  std::uint8_t& chosen = pair_vc_[input * shape_.outputs + output];
  const int offset = inputs_[input].offset;
  const bool first = (inputs_[input].asks & bit) == 0;
  inputs_[input].asks |= bit;
  outputs_[output].asked |= std::uint64_t{1} << input;
  asking_inputs_ |= std::uint64_t{1} << input;
  asked_outputs_ |= bit;
  if (first || (chosen < offset && vc >= offset)) chosen = static_cast<std::uint8_t>(vc);
}

void Router::grant_switch() {
  for (; asked_outputs_ != 0; asked_outputs_ &= asked_outputs_ - 1) {
    const int output = lowest(asked_outputs_);
    const int input = round_robin(outputs_[output].asked, outputs_[output].grant);
    outputs_[output].asked = 0;
    inputs_[input].granted |= std::uint64_t{1} << output;
    granted_inputs_ |= std::uint64_t{1} << input;
  }
}

void Router::accept_switch(Cycles now, std::vector<Move>& moves) {
  for (; asking_inputs_ != 0; asking_inputs_ &= asking_inputs_ - 1) inputs_[lowest(asking_inputs_)].asks = 0;
  for (; granted_inputs_ != 0; granted_inputs_ &= granted_inputs_ - 1) {
    const int input = lowest(granted_inputs_);
    const int output = round_robin(inputs_[input].granted, inputs_[input].accept);
    inputs_[input].granted = 0;
    outputs_[output].grant = static_cast<std::uint8_t>(input + 1 == shape_.inputs ? 0 : input + 1);
    inputs_[input].accept = static_cast<std::uint8_t>(output + 1 == shape_.outputs ? 0 : output + 1);
    cross(now, input, output, moves);
  }
}

void Router::cross(Cycles now, int input, int output, std::vector<Move>& moves) {
  const int vc = pair_vc_[input * shape_.outputs + output], channel = id(input, vc);
  InputVc& state = input_vcs_[channel];
  const FlitGroup group = group_at(channel, state.first);
  ++state.first;
  --state.size;
  --buffered_;
  const int output_channel = id(output, state.output_vc);
  output_vcs_[output_channel].credits = static_cast<std::int16_t>(output_vcs_[output_channel].credits - group.flits);
  inputs_[input].offset = static_cast<std::uint8_t>(vc + 1);
  inputs_[input].busy = outputs_[output].busy = now + group.flits;
  // Filled in place: a copy right after byte-wide stores would stall.
  Move& move = moves.emplace_back();
  move.group = group;
  move.input = static_cast<std::uint8_t>(input);
  move.input_vc = static_cast<std::uint8_t>(vc);
  move.output = static_cast<std::uint8_t>(output);
  move.output_vc = state.output_vc;
  if (group.tail) {
    state.active = false;
    output_vcs_[output_channel].owner = -1;
    outputs_[output].free_vcs |= 1u << state.output_vc;
    if (!waiting_.empty()) wake_ = now + 1;
    move.uncovers_head = state.size > 0;
    move.next_packet = group_at(channel, state.first).packet;
  }
  refresh(channel);
}

Cycles Router::next_wake(Cycles now) const {
  Cycles wake = wake_;
  if (wake <= now + 1) return wake;
  sendable_.for_each([&](int channel) { wake = std::min(wake, std::max(now + 1, inputs_[port_of(channel)].busy)); });
  // A waiter that found a free channel and lost it asks again; one that found none is woken by the tail that frees it.
  return waiting_.empty() || waiters_.empty() ? wake : now + 1;
}

}  // namespace tilewright
