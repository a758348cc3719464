#include "sim/model/router.h"

#include <algorithm>
#include <bit>

#include "sim/base/error.h"

namespace tilewright {
namespace {

template <typename Mask>
int lowest(Mask mask) {
  return std::countr_zero(mask);
}

// First set bit at or after `pointer`, wrapping.
template <typename Mask>
int round_robin(Mask mask, int pointer) {
  const Mask upper = static_cast<Mask>(mask >> pointer << pointer);
  return lowest(upper != 0 ? upper : mask);
}

}  // namespace

Router::Router(const Shape& shape)
    : shape_(shape), fifo_size_(static_cast<int>(std::bit_ceil(static_cast<unsigned>(shape.buffer_flits)))) {
  SIM_CHECK(shape.inputs <= 64 && shape.outputs <= 64, "a router has {} inputs and {} outputs", shape.inputs,
            shape.outputs);
  SIM_CHECK(shape.virtual_channels >= 1 && shape.virtual_channels <= 16, "{} virtual channels", shape.virtual_channels);
  SIM_CHECK(shape.buffer_flits >= 1 && shape.buffer_flits <= 128, "{} flits of buffer", shape.buffer_flits);
  const std::size_t inputs = shape.inputs, outputs = shape.outputs, vcs = shape.virtual_channels;
  input_vcs_.resize(inputs * vcs);
  fifo_.resize(inputs * vcs * fifo_size_);
  waiting_.resize(inputs);
  sendable_.resize(inputs);
  credits_.assign(outputs * vcs, static_cast<std::int16_t>(shape.buffer_flits));
  owner_.assign(outputs * vcs, -1);
  free_vcs_.assign(outputs, (1u << vcs) - 1);
  input_busy_.resize(inputs);
  output_busy_.resize(outputs);
  vc_grant_.resize(outputs * vcs);
  vc_accept_.resize(inputs * vcs);
  switch_grant_.resize(outputs);
  switch_accept_.resize(inputs);
  pair_offset_.resize(inputs);
  pair_vc_.resize(inputs * outputs);
  input_asks_.resize(inputs);
  output_asked_.resize(outputs);
  granted_.resize(inputs);
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
    refresh(input, vc);
    return false;
  }
  SIM_CHECK(group.head, "input {} channel {}: a body without its head", input, vc);
  return true;
}

void Router::request_output(int input, int vc, int output, std::uint32_t allowed) {
  InputVc& state = input_vcs_[id(input, vc)];
  state.output = static_cast<std::uint8_t>(output);
  state.allowed = allowed;
  waiting_[input] |= 1u << vc;
  waiting_inputs_ |= std::uint64_t{1} << input;
}

bool Router::return_credits(int output, int vc, int flits) {
  const int channel = id(output, vc);
  credits_[channel] = static_cast<std::int16_t>(credits_[channel] + flits);
  SIM_CHECK(credits_[channel] <= shape_.buffer_flits, "output {} channel {} has too many credits", output, vc);
  if (owner_[channel] < 0) return false;
  const int input = owner_[channel] / shape_.virtual_channels, input_vc = owner_[channel] % shape_.virtual_channels;
  if (sendable_[input] >> input_vc & 1u) return false;
  refresh(input, input_vc);
  return (sendable_[input] >> input_vc & 1u) != 0;
}

// Brings the "can cross" bit of one input channel up to date.
void Router::refresh(int input, int vc) {
  const int channel = id(input, vc);
  const InputVc& state = input_vcs_[channel];
  const bool can = state.active && state.size > 0 &&
                   credits_[id(state.output, state.output_vc)] >= group_at(channel, state.first).flits;
  if (can) {
    sendable_[input] |= 1u << vc;
    sendable_inputs_ |= std::uint64_t{1} << input;
    return;
  }
  sendable_[input] &= ~(1u << vc);
  if (sendable_[input] == 0) sendable_inputs_ &= ~(std::uint64_t{1} << input);
}

Cycles Router::step(Cycles now, std::vector<Move>& moves) {
  wake_ = kNeverCycle;
  const bool won = waiting_inputs_ != 0 && allocate_vcs();
  if (won && shape_.same_cycle_switch) own_granted_vcs();
  if (sendable_inputs_ != 0) {
    request_switch(now);
    grant_switch();
    accept_switch(now, moves);
  }
  if (won && !shape_.same_cycle_switch) own_granted_vcs();
  return next_wake(now);
}

bool Router::allocate_vcs() {
  gather_waiters();
  std::uint64_t outputs = 0;
  for (const Waiter& waiter : waiters_) outputs |= std::uint64_t{1} << waiter.output;
  if (waiters_.size() == 1) {
    match_one(waiters_[0], waiters_[0].candidates);
  } else {
    for (; outputs != 0; outputs &= outputs - 1) match_output(lowest(outputs));
  }
  return !winners_.empty();
}

// Channels that ask for at least one free output channel, in ascending order.
void Router::gather_waiters() {
  waiters_.clear();
  for (std::uint64_t inputs = waiting_inputs_; inputs != 0; inputs &= inputs - 1) {
    const int input = lowest(inputs);
    for (std::uint32_t vcs = waiting_[input]; vcs != 0; vcs &= vcs - 1) {
      const int channel = id(input, lowest(vcs));
      const InputVc& state = input_vcs_[channel];
      const std::uint32_t candidates = free_vcs_[state.output] & state.allowed;
      if (candidates != 0) waiters_.push_back({channel, state.output, candidates, 0});
    }
  }
}

// Every free channel of `output` grants one waiter without knowing of the others, then each waiter accepts one: as in
// hardware, two channels may grant the same waiter and leave another with nothing.
void Router::match_output(int output) {
  std::uint32_t asked = 0;
  for (const Waiter& waiter : waiters_)
    if (waiter.output == output) asked |= waiter.candidates;
  for (; asked != 0; asked &= asked - 1) {
    const int vc = lowest(asked), pointer = vc_grant_[id(output, vc)];
    Waiter *first = nullptr, *after = nullptr;
    for (Waiter& waiter : waiters_) {
      if (waiter.output != output || (waiter.candidates >> vc & 1u) == 0) continue;
      if (first == nullptr) first = &waiter;
      if (after == nullptr && waiter.id >= pointer) after = &waiter;
    }
    (after != nullptr ? after : first)->granted |= 1u << vc;
  }
  for (const Waiter& waiter : waiters_)
    if (waiter.output == output && waiter.granted != 0) match_one(waiter, waiter.granted);
}

void Router::match_one(const Waiter& waiter, std::uint32_t granted) {
  const int vcs = shape_.virtual_channels;
  const int pointer = vc_accept_[waiter.id];
  const int vc = round_robin(granted, pointer / vcs == waiter.output ? pointer % vcs : 0);
  const int channel = id(waiter.output, vc);
  vc_grant_[channel] = static_cast<std::int16_t>((waiter.id + 1) % (shape_.inputs * vcs));
  vc_accept_[waiter.id] = static_cast<std::int16_t>((channel + 1) % (shape_.outputs * vcs));
  owner_[channel] = static_cast<std::int16_t>(waiter.id);
  free_vcs_[waiter.output] &= ~(1u << vc);
  input_vcs_[waiter.id].output_vc = static_cast<std::uint8_t>(vc);
  winners_.push_back(static_cast<std::int16_t>(waiter.id));
}

void Router::own_granted_vcs() {
  for (const int channel : winners_) {
    const int input = channel / shape_.virtual_channels, vc = channel % shape_.virtual_channels;
    input_vcs_[channel].active = true;
    waiting_[input] &= ~(1u << vc);
    if (waiting_[input] == 0) waiting_inputs_ &= ~(std::uint64_t{1} << input);
    refresh(input, vc);
  }
  winners_.clear();
}

void Router::request_switch(Cycles now) {
  for (std::uint64_t inputs = sendable_inputs_; inputs != 0; inputs &= inputs - 1) {
    const int input = lowest(inputs);
    if (input_busy_[input] > now) {
      wake_ = std::min(wake_, input_busy_[input]);
      continue;
    }
    for (std::uint32_t vcs = sendable_[input]; vcs != 0; vcs &= vcs - 1) {
      const int vc = lowest(vcs), output = input_vcs_[id(input, vc)].output;
      if (output_busy_[output] > now) {
        wake_ = std::min(wake_, output_busy_[output]);
      } else {
        choose_for_pair(input, output, vc);
      }
    }
  }
}

// One request per (input, output): of several channels the next in turn.
void Router::choose_for_pair(int input, int output, int vc) {
  const std::uint64_t bit = std::uint64_t{1} << output;
  std::uint8_t& chosen = pair_vc_[input * shape_.outputs + output];
  if ((input_asks_[input] & bit) == 0) {
    input_asks_[input] |= bit;
    output_asked_[output] |= std::uint64_t{1} << input;
    asked_outputs_ |= bit;
    chosen = static_cast<std::uint8_t>(vc);
    return;
  }
  const int offset = pair_offset_[input];
  const bool chosen_before = chosen < offset, vc_before = vc < offset;
  if (chosen_before && !vc_before) chosen = static_cast<std::uint8_t>(vc);
}

void Router::grant_switch() {
  for (; asked_outputs_ != 0; asked_outputs_ &= asked_outputs_ - 1) {
    const int output = lowest(asked_outputs_);
    const int input = round_robin(output_asked_[output], switch_grant_[output]);
    output_asked_[output] = 0;
    granted_[input] |= std::uint64_t{1} << output;
    granted_inputs_ |= std::uint64_t{1} << input;
  }
}

void Router::accept_switch(Cycles now, std::vector<Move>& moves) {
  for (std::uint64_t inputs = sendable_inputs_; inputs != 0; inputs &= inputs - 1) input_asks_[lowest(inputs)] = 0;
  for (; granted_inputs_ != 0; granted_inputs_ &= granted_inputs_ - 1) {
    const int input = lowest(granted_inputs_);
    const int output = round_robin(granted_[input], switch_accept_[input]);
    granted_[input] = 0;
    switch_grant_[output] = static_cast<std::uint8_t>((input + 1) % shape_.inputs);
    switch_accept_[input] = static_cast<std::uint8_t>((output + 1) % shape_.outputs);
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
  credits_[output_channel] = static_cast<std::int16_t>(credits_[output_channel] - group.flits);
  pair_offset_[input] = static_cast<std::uint8_t>((vc + 1) % shape_.virtual_channels);
  input_busy_[input] = output_busy_[output] = now + group.flits;
  Move move{group,
            static_cast<std::uint8_t>(input),
            static_cast<std::uint8_t>(vc),
            static_cast<std::uint8_t>(output),
            state.output_vc,
            false};
  if (group.tail) {
    state.active = false;
    owner_[output_channel] = -1;
    free_vcs_[output] |= 1u << state.output_vc;
    if (waiting_inputs_ != 0) wake_ = now + 1;
    move.uncovers_head = state.size > 0;
    if (move.uncovers_head) move.next_packet = group_at(channel, state.first).packet;
  }
  refresh(input, vc);
  moves.push_back(move);
}

Cycles Router::next_wake(Cycles now) const {
  Cycles wake = wake_;
  for (std::uint64_t inputs = sendable_inputs_; inputs != 0 && wake > now + 1; inputs &= inputs - 1)
    wake = std::min(wake, std::max(now + 1, input_busy_[lowest(inputs)]));
  // A waiter that found a free channel and lost it asks again; one that found none is woken by the tail that frees it.
  if (wake > now + 1 && waiting_inputs_ != 0 && !waiters_.empty()) wake = now + 1;
  return wake;
}

}  // namespace tilewright
