#include "sim/machine/network/router.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "sim/base/error.h"

namespace tilewright {
namespace {

int lowest(std::uint32_t mask) { return std::countr_zero(mask); }

// First set bit at or after `pointer`, wrapping. Without a branch: it would be a coin toss.
int round_robin(std::uint32_t mask, int pointer) {
  return (lowest(std::rotr(mask, pointer)) + pointer) & (std::numeric_limits<std::uint32_t>::digits - 1);
}

// How far `number` of `count` lies behind a pointer.
std::uint32_t behind(int number, int pointer, int count) {
  return static_cast<std::uint32_t>(number - pointer + (number < pointer ? count : 0));
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
  granted_inputs_ = BitSet(shape.inputs);
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
  state.output = static_cast<std::uint16_t>(output);
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

// Brings the "can cross" bit of one input channel up to date. A group sets out when there is room for its first flit:
// the others follow as room comes.
void Router::refresh(int channel) {
  const InputVc& state = input_vcs_[channel];
  sendable_.assign(channel,
                   state.active && state.size > 0 && output_vcs_[id(state.output, state.output_vc)].credits > 0);
}

Cycles Router::step(Cycles now, std::vector<Move>& moves, std::vector<Delay>& delays) {
  wake_ = kNeverCycle;
  const bool won = !waiting_.empty() && (waiting_.size() == 1 ? allocate_vc() : allocate_vcs());
  if (won && shape_.same_cycle_switch) own_granted_vcs();
  if (sendable_.size() == 1) {
    cross_alone(now, moves);
  } else if (!sendable_.empty()) {
    request_switch(now);
    grant_switch();
    accept_switch(now, moves);
  }
  if (busy_ > now + 1) delay_crossing(now, delays);
  if (won && !shape_.same_cycle_switch) own_granted_vcs();
  return next_wake(now);
}

// With one channel waiting there is nothing to match.
bool Router::allocate_vc() {
  const int channel = waiting_.first();
  const InputVc& state = input_vcs_[channel];
  const std::uint32_t candidates = outputs_[state.output].free_vcs & state.allowed;
  waiters_.clear();
  if (candidates != 0) match_one({channel, state.output, candidates, 0}, candidates);
  return candidates != 0;
}

bool Router::allocate_vcs() {
  gather_waiters();
  for (const Waiter& waiter : waiters_) {
    const std::uint16_t askers = outputs_[waiter.output].askers;
    if (askers == 1) match_one(waiter, waiter.candidates);
    if (askers > 1) contested_.push_back(static_cast<std::uint16_t>(waiter.output));
    outputs_[waiter.output].askers = 0;
  }
  for (const std::uint16_t output : contested_) match_output(output);
  contested_.clear();
  return !winners_.empty();
}

// Channels that ask for at least one free output channel, in ascending order.
void Router::gather_waiters() {
  waiters_.clear();
  waiting_.for_each([this](int channel) {
    const InputVc& state = input_vcs_[channel];
    const std::uint32_t candidates = outputs_[state.output].free_vcs & state.allowed;
    if (candidates == 0) return;
    waiters_.push_back({channel, state.output, candidates, 0});
    ++outputs_[state.output].askers;
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
    std::uint64_t nearest = ~std::uint64_t{0};
    for (std::uint64_t i = 0; i < waiters_.size(); ++i) {
      const Waiter& waiter = waiters_[i];
      const bool asks = (waiter.output == output) & (waiter.candidates >> vc & 1u);
      const std::uint64_t distance = static_cast<std::uint32_t>(waiter.id - pointer);
      nearest = std::min(nearest, asks ? distance << 32 | i : ~std::uint64_t{0});
    }
    waiters_[static_cast<std::uint32_t>(nearest)].granted |= 1u << vc;
  }
  for (const Waiter& waiter : waiters_)
    if (waiter.output == output && waiter.granted != 0) match_one(waiter, waiter.granted);
}

void Router::match_one(const Waiter& waiter, std::uint32_t granted) {
  const int pointer = input_vcs_[waiter.id].accept;
  const int vc = round_robin(granted, port_of(pointer) == waiter.output ? vc_of(pointer) : 0);
  const int channel = id(waiter.output, vc);
  // A pointer past the last one is as good as 0.
  output_vcs_[channel].grant = waiter.id + 1;
  input_vcs_[waiter.id].accept = channel + 1;
  output_vcs_[channel].owner = waiter.id;
  outputs_[waiter.output].free_vcs &= ~(1u << vc);
  input_vcs_[waiter.id].output_vc = static_cast<std::uint8_t>(vc);
  winners_.push_back(waiter.id);
}

void Router::own_granted_vcs() {
  for (const int channel : winners_) {
    input_vcs_[channel].active = true;
    waiting_.erase(channel);
    refresh(channel);
  }
  winners_.clear();
}

// The only channel that can cross has no one to take turns with.
void Router::cross_alone(Cycles now, std::vector<Move>& moves) {
  const int channel = sendable_.first(), input = port_of(channel), output = input_vcs_[channel].output;
  const Cycles busy = std::max(inputs_[input].busy, outputs_[output].busy);
  if (busy > now) {
    wake_ = std::min(wake_, busy);
  } else {
    take_turns(input, output);
    cross(now, input, vc_of(channel), output, moves);
  }
}

// The next in turn come behind those that cross now.
void Router::take_turns(int input, int output) {
  outputs_[output].grant = static_cast<std::uint16_t>(input + 1 == shape_.inputs ? 0 : input + 1);
  inputs_[input].accept = static_cast<std::uint16_t>(output + 1 == shape_.outputs ? 0 : output + 1);
}

void Router::request_switch(Cycles now) {
  sendable_.for_each([&](int channel) {
    const int output = input_vcs_[channel].output;
    const Cycles busy = std::max(inputs_[port_of(channel)].busy, outputs_[output].busy);
    if (busy > now) {
      wake_ = std::min(wake_, busy);
    } else {
      ask(channel, output);
    }
  });
}

// Of the inputs the next in turn, and of its channels that want this output the next in turn.
void Router::ask(int channel, int output) {
  const int input = port_of(channel), vc = vc_of(channel);
  Output& to = outputs_[output];
  if (to.asked.distance == ~0u) asked_outputs_.push_back(static_cast<std::uint16_t>(output));
  const std::uint32_t distance = behind(input, to.grant, shape_.inputs) * kMaxChannels +
                                 behind(vc, inputs_[input].offset, shape_.virtual_channels);
  if (distance < to.asked.distance)
    to.asked = {distance, static_cast<std::uint16_t>(input), static_cast<std::uint8_t>(vc)};
}

void Router::grant_switch() {
  for (const std::uint16_t output : asked_outputs_) {
    const Nearest asked = outputs_[output].asked;
    Input& input = inputs_[asked.port];
    const std::uint32_t distance = behind(output, input.accept, shape_.outputs);
    if (distance < input.granted.distance) input.granted = {distance, output, asked.vc};
    granted_inputs_.insert(asked.port);
    outputs_[output].asked = Nearest{};
  }
  asked_outputs_.clear();
}

void Router::accept_switch(Cycles now, std::vector<Move>& moves) {
  granted_inputs_.for_each([&](int input) {
    const Nearest granted = inputs_[input].granted;
    const int output = granted.port;
    inputs_[input].granted = Nearest{};
    take_turns(input, output);
    granted_inputs_.erase(input);
    cross(now, input, granted.vc, output, moves);
  });
}

void Router::cross(Cycles now, int input, int vc, int output, std::vector<Move>& moves) {
  const int channel = id(input, vc);
  InputVc& state = input_vcs_[channel];
  const FlitGroup group = group_at(channel, state.first);
  ++state.first;
  --state.size;
  --buffered_;
  const int output_channel = id(output, state.output_vc);
  output_vcs_[output_channel].credits = static_cast<std::int16_t>(output_vcs_[output_channel].credits - group.flits);
  inputs_[input].offset = static_cast<std::uint8_t>(vc + 1);
  inputs_[input].busy = outputs_[output].busy = now + group.flits;
  // Behind another group of its packet the others take their turn by themselves.
  outputs_[output].flits = static_cast<std::uint8_t>(group.tail ? group.flits - state.ahead : 1);
  state.ahead = 0;
  outputs_[output].packet = group.packet;
  busy_ = std::max(busy_, now + group.flits);
  // Filled in place: a copy right after byte-wide stores would stall.
  Move& move = moves.emplace_back();
  move.group = group;
  move.input = static_cast<std::uint16_t>(input);
  move.input_vc = static_cast<std::uint8_t>(vc);
  move.output = static_cast<std::uint16_t>(output);
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

// Two packets that want one output share it flit by flit. Of two groups the second waits for the first and ends when it
// would have ended; the first ends later than it would by itself, by as many flits of the second as come between its
// own. Those have gone when the second sets out, so that a third has fewer left to come between.
void Router::delay_crossing(Cycles now, std::vector<Delay>& delays) {
  sendable_.for_each([&](int channel) {
    InputVc& state = input_vcs_[channel];
    const Output& output = outputs_[state.output];
    if (output.busy <= now + 1 || state.met == output.busy) return;
    state.met = output.busy;
    const FlitGroup& group = group_at(channel, state.first);
    if (group.packet == output.packet) return;
    const int own = group.flits - state.ahead;
    const auto flits = std::min({static_cast<int>(output.busy - now), output.flits - 1, own});
    if (flits <= 0) return;
    state.ahead = static_cast<std::uint8_t>(state.ahead + flits);
    delays.push_back({output.packet, static_cast<std::uint16_t>(flits)});
  });
}

Cycles Router::next_wake(Cycles now) const {
  Cycles wake = wake_;
  if (wake <= now + 1) return wake;
  sendable_.for_each([&](int channel) { wake = std::min(wake, std::max(now + 1, inputs_[port_of(channel)].busy)); });
  // A waiter that found a free channel and lost it asks again; one that found none is woken by the tail that frees it.
  return waiting_.empty() || waiters_.empty() ? wake : now + 1;
}

}  // namespace tilewright
