// All-reduce: every core has a vector of its own and ends with the sum of all. Programs in which cores store into each
// other's buffers and signal; each addition is done by the core that receives, or by the network.
//
// Over a ring every link carries 2 (n - 1) / n of the vector, which no algorithm can undercut (Patarasuk and Yuan,
// "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

enum class AllReduce {
  kRing,   // reduce-scatter round the ring, then all-gather: a core sends to the next one only
  kTree,   // sums go up a binary tree to the first core, the result goes down
  kNaive,  // everybody sends all to the first core, which adds and sends the result to everybody
  // The network adds (NetworkSpec::reduction): each core reads the sums of its share of the vector from all buffers,
  // the others read them from there. The cores are evenly spaced in number.
  kNetwork,
};

struct AllReduceJob {
  AllReduce algorithm = AllReduce::kRing;
  Bytes bytes = 0;         // of each core's vector of fp32
  std::vector<int> cores;  // in the order of the ring; the first is the root
  // Sent and added at a time: the larger, the fewer instructions, the smaller, the sooner the next core can go on.
  // 16 KiB, where the network adds 2 KiB.
  std::optional<Bytes> piece_bytes;
  // Vectors come from DRAM and go there; else they are in the buffers already and stay there.
  bool from_memory = true;
};

// Core i of the job loads vector i of segment "in" into buffer A, all begin together after a barrier, and each stores
// its result as vector i of segment "out", unless they stay on the chip. Operators: "load", "all-reduce", "store".
// Vectors lie in buffer A, what arrives in buffer B. UserError for a vector that does not fit into either, for cores
// that the chip does not have, or fewer than two.
Program all_reduce_program(const Hardware& hardware, const AllReduceJob& job);

// Core cycles that the link of each core is busy at least: 2 (n - 1) / n of the vector through the ports of a cluster.
// Where the network adds (n + 1) / n: the vector goes out to be added, a share of the sums to everybody.
double all_reduce_bound(const Hardware& hardware, const AllReduceJob& job);

}  // namespace tilewright
