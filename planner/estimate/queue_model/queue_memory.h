// The way from the cores to DRAM, to other clusters and back as queues: those of the network, and every pseudo channel
// serves its requests.
#pragma once

#include <memory>
#include <vector>

#include "planner/estimate/queue_model/calendar.h"
#include "planner/estimate/queue_model/queue_dram.h"
#include "planner/estimate/queue_model/queue_transport.h"
#include "sim/base/containers.h"
#include "sim/base/event.h"
#include "sim/hw/config/hardware.h"
#include "sim/hw/timing/address_map.h"
#include "sim/isa/chip_map.h"
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
  void packet_arrived(std::uint32_t index, Picoseconds time) override;

 private:
  enum Stage : std::uint32_t { kServe, kAnswer };
  struct Flight {
    MemoryRequest request;
    MemoryClient* client = nullptr;
    ChannelAddress place{};  // channel kNoChannel: of another cluster
    int port = 0, end = 0;   // terminals of the cluster that asks and of who answers
    int parts_left = 0;
    Cycles done = 0;  // DRAM clocks
    bool answered = false;
  };
  static constexpr int kNoChannel = -1;

  void add(Picoseconds time, Stage stage, std::size_t index);
  Flight flight_to_channel(const MemoryRequest& request, MemoryClient& client) const;
  Flight flight_to_peer(const MemoryRequest& request, MemoryClient& client) const;
  void send_answer(std::uint32_t index, Picoseconds time);
  void push(std::uint32_t index, Picoseconds arrived);
  void serve(std::size_t pseudo_channel, Picoseconds now);
  void part_served(const DramServed& served);
  void answer(std::uint32_t index, Picoseconds now);

  const Hardware& hardware_;
  const ChipMap map_;
  Calendar& calendar_;
  const std::unique_ptr<QueueTransport> network_;
  std::vector<QueueDram> pseudo_channels_;
  std::vector<Cycles> due_;  // by pseudo channel: the serving that stands in the calendar
  SlotTable<Flight> flights_;
  std::vector<DramServed> served_;
};

}  // namespace tilewright
