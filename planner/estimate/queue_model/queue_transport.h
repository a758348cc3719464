// What takes packets from one terminal of the network to another, in the queue model.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "planner/estimate/queue_model/calendar.h"
#include "sim/hw/config/network_spec.h"

namespace tilewright {

struct QueuePacket {
  int source = 0, destination = 0;  // terminals
  int flits = 1;
  bool reply = false;
  std::uint32_t what = 0;  // the sender's name for it
};

class QueuePacketClient {
 public:
  virtual ~QueuePacketClient() = default;
  // The last flit of the packet leaves the network at `time`, now or later.
  virtual void packet_arrived(const QueuePacket& packet, Picoseconds time) = 0;
};

class QueueTransport {
 public:
  virtual ~QueueTransport() = default;
  // `time`: now or later.
  virtual void send(const QueuePacket& packet, Picoseconds time) = 0;
  // Once to each of `destinations`, of a network whose routers copy (NetworkSpec::multicast). Returns when the packet
  // begins to leave its source.
  virtual Picoseconds send_to_all(const QueuePacket& packet, std::span<const int> destinations, Picoseconds time) = 0;
  // One copy more of a packet that begins to leave at `start` and goes to terminal `with` as well.
  virtual void send_copy(const QueuePacket& packet, int with, Picoseconds start) = 0;
  // Flits times the routers that they pass.
  virtual std::int64_t hops() const = 0;
};

// kUnlimited: routers hold whatever waits, so that it holds up nothing behind it. kLimited: what fits their buffers,
// for half as much time again of a prediction; the same without routers, and with routers that copy packets.
enum class RouterBuffers : std::uint8_t { kUnlimited, kLimited };

// `spec` outlives it.
std::unique_ptr<QueueTransport> make_queue_transport(const NetworkSpec& spec, RouterBuffers buffers, Calendar& calendar,
                                                     QueuePacketClient& client);

}  // namespace tilewright
