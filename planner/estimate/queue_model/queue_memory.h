// The way from the cores to DRAM, to other clusters and back as queues: those of the network, and every pseudo channel
// serves its requests.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "planner/estimate/queue_model/calendar.h"
#include "planner/estimate/queue_model/queue_dram.h"
#include "planner/estimate/queue_model/queue_sums.h"
#include "planner/estimate/queue_model/queue_transport.h"
#include "sim/base/containers.h"
#include "sim/base/event.h"
#include "sim/hw/config/hardware.h"
#include "sim/hw/timing/address_map.h"
#include "sim/isa/chip_map.h"
#include "sim/machine/memory/joined_reads.h"
#include "sim/machine/memory/leaving_ports.h"
#include "sim/machine/memory/peer_memories.h"
#include "sim/machine/port/memory_port.h"

namespace tilewright {

class QueueMemory final : public QueueActor, public QueuePacketClient, public MemoryPath {
 public:
  QueueMemory(const Hardware& hardware, RouterBuffers buffers, Calendar& calendar);

  void send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) override;
  // When the last data beat is over.
  Picoseconds quiet() const;
  // What DRAM and network did in a run until `end`.
  void count(EventCounts& events, Picoseconds end) const;

  void happen(std::uint32_t what, Picoseconds now) override;
  void packet_arrived(const QueuePacket& packet, Picoseconds time) override;

 private:
  enum Stage : std::uint32_t { kServe, kAnswer, kFree };
  struct Flight {
    MemoryRequest request;
    MemoryClient* client = nullptr;
    ChannelAddress place{};  // channel kNoChannel: of another cluster
    int port = 0, end = 0;   // terminals of the cluster that asks and of who answers
    int parts_left = 0;
    Cycles done = 0;  // DRAM clocks
    bool answered = false;
    std::optional<std::uint32_t> shared;  // its place in reads_, if others may join it
  };
  // A read that others join, as in the simulated fabric.
  struct SharedRead {
    std::vector<std::uint32_t> waiting;  // flights
    QueuePacket answer;
    Picoseconds leaves = kNever;  // when the answer begins to, since it has been sent
  };
  // A channel that takes only so many requests before it has answered one (NetworkSpec::memory_port).
  struct Port {
    int places = 0;
    Ring<std::uint32_t> waiting;  // flights, in order of arrival: MemoryPortSpec::order is not modelled
  };
  static constexpr int kNoChannel = -1;
  static constexpr int kStageBit = 30;
  static constexpr std::uint32_t kShared = 1u << 30;  // an answer's place is that of a read that others join

  void add(Picoseconds time, Stage stage, std::size_t index);
  Flight flight_to_channel(const MemoryRequest& request, MemoryClient& client) const;
  Flight flight_to_peer(const MemoryRequest& request, MemoryClient& client) const;
  bool join(std::uint32_t index, Picoseconds time);
  bool extend(const SharedRead& read, int terminal, Picoseconds time);
  void send_answer(std::uint32_t index, Picoseconds time);
  void send_shared(const QueuePacket& answer, SharedRead& read, Picoseconds time);
  void copy_arrived(const QueuePacket& packet, Picoseconds time);
  void enter(std::uint32_t index, Picoseconds time);
  void free_place(std::size_t channel, Picoseconds now);
  void push(std::uint32_t index, Picoseconds arrived);
  void serve(std::size_t pseudo_channel, Picoseconds now);
  void part_served(const DramServed& served);
  void answer(std::uint32_t index, Picoseconds now);

  const Hardware& hardware_;
  const ChipMap map_;
  Calendar& calendar_;
  const std::unique_ptr<QueueTransport> network_;
  LeavingPorts leaving_ports_;
  std::vector<QueueCommandBus> command_buses_;  // by channel, where its pseudo channels share one
  std::vector<QueueDram> pseudo_channels_;
  std::vector<Cycles> due_;  // by pseudo channel: the serving that stands in the calendar
  std::vector<Port> ports_;  // by channel, where places are limited
  SlotTable<Flight> flights_;
  QueueSums sums_;
  JoinedReads<SharedRead> reads_;  // as many as all who answer remember
  std::vector<DramServed> served_;
};

}  // namespace tilewright
