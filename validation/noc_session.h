// The rows of the network comparison once more, as a chip makes them: programs of cores that reach each other through
// the network, on a Session.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "sim/session.h"
#include "validation/noc.h"

namespace tilewright {

// The chip of a row: on every router a cluster of two cores, one that sends and one that is sent to, and a channel of
// DRAM for their instructions. Packets have the row's flits: of request-reply traffic requests of four flits of data
// behind a header of one; of one-way traffic signals whose header is the packet. The channels of one kind of packet are
// as many as the row has.
Hardware noc_session_chip(const NocReferenceRow& row, int group_flits);

// The row's traffic for `cycles` network cycles. The vector unit of a sender keeps the time: an instruction as long as
// the gap to the next packet, then a token for the load or the store, or the signal itself. The first gap is as long as
// it takes to fetch all instructions, so that none travel among the packets.
Program noc_session_program(const NocReferenceRow& row, const Hardware& chip, Cycles cycles, std::uint64_t seed);

// Network cycles from a packet's leaving its core to its arrival; of request-reply traffic the mean of both ways.
double noc_session_latency(const NocReferenceRow& row, const RunResult& result);

// Flits per terminal and network cycle, from the first packet to the last.
double noc_session_throughput(const NocReferenceRow& row, const Program& program, const RunResult& result);

class NocSessionRuns {
 public:
  // Makes the sessions for the rows at `path` that can run: before any session of the process runs.
  NocSessionRuns(const std::string& path, const NocEffort& effort);

  // Runs every row with the groups of flits that chips use, from an empty network. Judged at 10 % like the network by
  // itself: latency to 60 % of saturation, and throughput.
  void compare(ValidationReport& report);

 private:
  using ChipKey = std::tuple<std::string, std::string, bool>;  // topology, packet, request-reply

  void prepare(const NocReferenceRow& row);
  Session& session_of(const NocReferenceRow& row) { return *sessions_.at(key_of(row)); }
  static ChipKey key_of(const NocReferenceRow& row);
  void run(const NocReferenceRow& row, ValidationReport& report);

  NocEffort effort_;
  std::vector<NocReferenceRow> rows_;
  std::map<ChipKey, std::unique_ptr<Session>> sessions_;
  ValidationReport prepared_;  // what could not be
};

}  // namespace tilewright
