// When the instructions of one core were queued, began and ended, and where the requests of its transfers spent their
// time: what a run writes down so that waits can be followed afterwards to what they were for (stall/).
#pragma once

#include <algorithm>
#include <vector>

#include "sim/isa/program.h"
#include "sim/machine/port/memory_delay.h"

namespace tilewright {

// Sums over the memory requests of one transfer, in picoseconds.
struct TransferTimes {
  Picoseconds issued = 0;  // when the last request was sent
  std::int64_t requests = 0;
  Picoseconds bus = 0, row = 0, latency = 0, cluster = 0;  // as MemoryDelay
  Picoseconds network = 0;
  Picoseconds port = 0;    // before the port to the buffers and through it
  bool pipelined = false;  // the transfer before it in its stream was still under way

  void add(const MemoryDelay& delay, Picoseconds total);
};

struct InstructionTimes {
  Picoseconds queued = 0;  // dispatched to the queue of its stream
  Picoseconds begin = 0;
  Picoseconds ready = 0;  // its own work was done
  Picoseconds end = 0;    // it completed: in the order of its stream
  int transfer = -1;      // place in CoreTimes::transfers
};

// Times count in the kernel's picoseconds.
class CoreTimes {
 public:
  void reset(const CoreProgram& program) {
    program_ = &program;
    instructions_.assign(program.instructions.size(), {});
    transfers_.clear();
    shortest_way_ = kNever;
  }
  void queued(const Instruction& instruction, Picoseconds now) { of(instruction).queued = now; }
  // Of a transfer with requests, once all have been answered; `ready`: its data are where they belong.
  void transferred(const Instruction& instruction, const TransferTimes& times, Picoseconds ready) {
    of(instruction).transfer = static_cast<int>(transfers_.size());
    of(instruction).ready = ready;
    transfers_.push_back(times);
    if (times.requests > 0) shortest_way_ = std::min(shortest_way_, times.network / times.requests);
  }
  void completed(const Instruction& instruction, Picoseconds begin, Picoseconds now) {
    InstructionTimes& times = of(instruction);
    times.begin = begin;
    times.end = now;
    if (times.transfer < 0) times.ready = now;
  }

  const std::vector<InstructionTimes>& instructions() const { return instructions_; }
  const TransferTimes& transfer(int index) const { return transfers_[index]; }
  // Shortest mean time in the network of a request of any transfer: what the way there and back takes by itself.
  Picoseconds shortest_way() const { return shortest_way_; }

 private:
  InstructionTimes& of(const Instruction& instruction) {
    return instructions_[&instruction - program_->instructions.data()];
  }

  const CoreProgram* program_ = nullptr;
  std::vector<InstructionTimes> instructions_;
  std::vector<TransferTimes> transfers_;
  Picoseconds shortest_way_ = kNever;
};

// A line fetched for somebody else may have been under way before this request was made.
inline void TransferTimes::add(const MemoryDelay& delay, Picoseconds total) {
  const Picoseconds known = delay.known();
  const double share = known > total ? static_cast<double>(total) / static_cast<double>(known) : 1;
  const auto part = [&](std::uint32_t time) { return static_cast<Picoseconds>(share * time); };
  ++requests;
  bus += part(delay.bus);
  row += part(delay.row);
  latency += part(delay.latency);
  cluster += part(delay.cluster);
  network += std::max<Picoseconds>(0, total - known);
}

}  // namespace tilewright
