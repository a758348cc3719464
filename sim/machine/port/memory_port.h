// What travels between the units that use memory and the memory itself, the way there, and a DRAM channel as the chip
// needs it, whoever models them.
#pragma once

#include <string>

#include "sim/base/owners.h"
#include "sim/base/units.h"
#include "sim/machine/port/memory_delay.h"

namespace tilewright {

// At most DmaSpec::request_bytes, inside one interleave chunk (one channel, one pseudo channel) or in cluster memory.
struct MemoryRequest {
  Address address = 0;  // in the chip's map (sim/isa/chip_map.h), or in a core's own cluster memory
  std::int32_t bytes = 0;
  bool write = false;
  bool cached = false;     // may be served and kept by the cluster cache
  std::uint16_t op = 0;    // operator the events are counted for
  std::uint16_t core = 0;  // who asked
  std::uint32_t tag = 0;   // the asker's own mark, returned with the answer
  MemoryDelay delay{};     // filled in by what it passes
  Owners summed{};         // more than one: the sum of their memories is read
  bool sums() const { return summed.size() > 1; }
};

// Implemented by whoever asks; called once per request: at `now` its last byte arrived (or the write was taken).
class MemoryClient {
 public:
  virtual ~MemoryClient() = default;
  virtual void memory_done(const MemoryRequest& request, Picoseconds now) = 0;
};

// Implemented by whatever serves requests. Never refuses: askers bound what they have outstanding, and queues inside
// push back on each other.
class MemoryServer {
 public:
  virtual ~MemoryServer() = default;
  virtual void memory_request(const MemoryRequest& request, Picoseconds now) = 0;
};

// From whoever asks to the memory that answers.
class MemoryPath {
 public:
  virtual ~MemoryPath() = default;
  // `client` is answered once, with the request as given.
  virtual void send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) = 0;
};

// A signal's way from core to core as a packet.
class SignalPath {
 public:
  virtual ~SignalPath() = default;
  // `op`: operator the hops are counted for.
  virtual void send_signal(int from, int to, int flag, std::uint16_t op, Picoseconds now) = 0;
};

// Where it arrives.
class SignalReceiver {
 public:
  virtual ~SignalReceiver() = default;
  virtual void signal_arrived(int core, int flag) = 0;
};

// What the chip needs of a DRAM channel.
class DramPort : public MemoryServer {
 public:
  virtual void set_client(MemoryClient* client) = 0;
  // Forgets all requests; the next program starts at the current simulation time.
  virtual void reset() = 0;
  // Ends a program: executes what fell due up to now (refreshes of an idle channel) and the posted writes still queued,
  // so that time, statistics and energy cover them. Returns when the memory was quiet, from reset.
  virtual Picoseconds settle() = 0;
  virtual std::string waiting_for() const = 0;  // empty when nothing is pending
};

// Told when a barrier opens: caches drop what the program may have written.
class BarrierListener {
 public:
  virtual ~BarrierListener() = default;
  virtual void barrier_opened() = 0;
};

}  // namespace tilewright
