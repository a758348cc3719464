// The way from the cores to DRAM and back as queues: the ports of clusters and channels move one flit a cycle, what
// lies between them takes the time that it takes without load, and every pseudo channel serves its requests.
#pragma once

#include <vector>

#include "planner/estimate/queue_model/calendar.h"
#include "planner/estimate/queue_model/queue_dram.h"
#include "sim/base/containers.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/chip_map.h"
#include "sim/machine/port/memory_port.h"

namespace tilewright {

class QueueMemory final : public QueueActor, public MemoryPath {
 public:
  QueueMemory(const Hardware& hardware, Calendar& calendar);

  void send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) override;
  // When the last data beat is over.
  Picoseconds quiet() const;

  void happen(std::uint32_t what, Picoseconds now) override;

 private:
  enum Stage : std::uint32_t { kServe, kAtCluster, kAnswer };
  struct Flight {
    MemoryRequest request;
    MemoryClient* client = nullptr;
    int channel = 0, port = 0;
    int parts_left = 0;
    Cycles done = 0;  // DRAM clocks
  };

  void add(Picoseconds time, Stage stage, std::size_t index);
  // Passes `flits` through `free` (of a port) not before `from`; when the first has passed.
  Picoseconds pass(Picoseconds& free, Picoseconds from, int flits) const;
  int flits_of(Bytes payload) const;
  void send_to_peer(const MemoryRequest& request, MemoryClient& client, Picoseconds now);
  Picoseconds way(int port, int channel) const { return ways_[port * hardware_.network.channels + channel]; }
  void push(std::uint32_t index, Picoseconds arrived);
  void serve(std::size_t pseudo_channel, Picoseconds now);
  void part_served(const DramServed& served);
  void reach_cluster(std::uint32_t index, Picoseconds now);
  void answer(std::uint32_t index, Picoseconds now);

  const Hardware& hardware_;
  const ChipMap map_;
  Calendar& calendar_;
  std::vector<QueueDram> pseudo_channels_;
  std::vector<Cycles> due_;  // by pseudo channel: the serving that stands in the calendar
  std::vector<Picoseconds> port_in_, port_out_, channel_in_, channel_out_;  // when each is free
  std::vector<Picoseconds> ways_;                                           // by cluster port and channel
  SlotTable<Flight> flights_;
  std::vector<DramServed> served_;
};

}  // namespace tilewright
