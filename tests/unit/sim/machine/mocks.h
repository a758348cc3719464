// The world around one part of the chip: who calls it, whom it asks, and a clock that the test moves.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/hw/config/hardware.h"
#include "sim/machine/core/core_buffers.h"
#include "sim/machine/core/stream.h"
#include "sim/machine/port/chip_part.h"
#include "sim/machine/port/memory_port.h"

namespace tilewright {

constexpr Picoseconds kPeriod = 1000;  // of the core clock

// Remembers the earliest time asked for.
struct Alarm : Waker {
  Picoseconds at = kNever;
  int calls = 0;
  void wake_at(Picoseconds time) override {
    ++calls;
    at = std::min(at, time);
  }
};

struct Completion {
  const Instruction* instruction;
  Picoseconds begin, end;
};

// A core that only takes notes.
struct Owner : StreamOwner {
  std::vector<Completion> done;
  std::vector<Signal> signals;
  std::vector<Barrier> reached;
  int freed = 0;

  void completed(const Instruction& instruction, Picoseconds begin, Picoseconds now) override {
    done.push_back({&instruction, begin, now});
  }
  void started(const Instruction&) override { ++freed; }
  void send_signal(const Signal& signal, std::uint16_t, Picoseconds) override { signals.push_back(signal); }
  void reach_barrier(Unit, const Barrier& barrier, Picoseconds) override { reached.push_back(barrier); }
};

// The buffers of a core and the meter behind them.
struct Buffers {
  Buffers() { meter.reset(1); }
  std::int64_t counted(Event event) const { return meter.total()[static_cast<int>(event)]; }

  EventMeter meter;
  Buffer a{1 << 20}, b{1 << 20}, accumulator{1 << 20};
  CoreBuffers of_core{a, b, accumulator, meter};
};

// Memory that keeps requests until the test answers them.
struct Memory : MemoryServer, MemoryPath {
  struct Asked {
    MemoryRequest request;
    Picoseconds time;
    MemoryClient* client;
  };
  std::vector<Asked> asked;

  void memory_request(const MemoryRequest& request, Picoseconds now) override { send(request, now, nullptr); }
  void send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) override {
    send(request, now, &client);
  }

 private:
  void send(const MemoryRequest& request, Picoseconds now, MemoryClient* client) {
    asked.push_back({request, now, client});
  }
};

struct Client : MemoryClient {
  struct Answer {
    MemoryRequest request;
    Picoseconds time;
  };
  std::vector<Answer> answers;
  void memory_done(const MemoryRequest& request, Picoseconds now) override { answers.push_back({request, now}); }
};

// Evaluates `part` whenever it asks, until nothing is asked for up to `end`.
template <typename Part>
void run_until(Part& part, Alarm& alarm, Picoseconds end) {
  while (alarm.at <= end) {
    const Picoseconds now = alarm.at;
    alarm.at = kNever;
    alarm.wake_at(part.evaluate(now));
  }
}

inline Hardware small_hardware() {
  Hardware hardware;
  hardware.core_clock.period_ps = kPeriod;
  hardware.core.matmul.rows = hardware.core.matmul.columns = 4;
  hardware.core.matmul.rate[static_cast<int>(DataType::kBf16)] = 1;
  hardware.core.vector.lanes = 8;
  hardware.core.dma.outstanding_requests = 4;
  hardware.core.control.unit_queue = 2;
  return hardware;
}

}  // namespace tilewright
