// Reads of several memories that a network adds up, while they are under way: who holds a part, and how many of its
// parts have met where. Who moves packets, and when, is for others to say.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "sim/base/containers.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/chip_map.h"
#include "sim/machine/memory/peer_memories.h"
#include "sim/machine/network/sum_tree.h"
#include "sim/machine/port/memory_port.h"

namespace tilewright {

inline constexpr Bytes kSumElement = 4;  // what is added is fp32 or int32

class SumReads {
 public:
  // `hardware` outlives it.
  explicit SumReads(const Hardware& hardware);

  void reset() { sums_ = {}; }
  // A number for the sum that MemoryRequest::sums() asks for by way of the reader's `terminal`; finish() gives `place`
  // back. InternalError where the network does not add.
  std::uint32_t begin(const MemoryRequest& request, int terminal, std::uint32_t place);
  const MemoryRequest& request(std::uint32_t sum) const { return sums_[sum].request; }
  // Terminals by which those answer who hold a part.
  std::vector<int> holders(std::uint32_t sum) const;
  // `visit(space, owner, address)` of each part that is answered by `terminal`.
  template <typename Visit>
  void for_each_part(std::uint32_t sum, int terminal, const Visit& visit) const {
    const MemoryRequest& of = request(sum);
    const ChipMap::Place place = map_.place_of(of.address);
    of.summed.for_each(place.owner, [&](int owner) {
      if (terminal_of(hardware_, place.space, owner, of.core) == terminal)
        visit(place.space, owner, map_.base_of(place.space, owner) + place.offset);
    });
  }
  // Where a part goes from the terminal of who holds it.
  int next_of_part(std::uint32_t sum, int terminal) const { return sums_[sum].tree->next.at(terminal); }
  bool is_reader(std::uint32_t sum, int terminal) const { return sums_[sum].terminal == terminal; }
  // One of the packets that are added at a router has come. With the last of them how the sum goes on; before, nothing.
  const SumTree::Meeting* meet(std::uint32_t sum, int router);
  std::uint32_t finish(std::uint32_t sum);

 private:
  struct Sum {
    MemoryRequest request;
    int terminal = 0;         // of the reader
    std::uint32_t place = 0;  // of the read
    const SumTree* tree = nullptr;
    std::map<int, int> arrived;  // packets, by router that adds
  };
  using TreeKey = std::tuple<Space, int, Owners, std::uint16_t, int>;

  const SumTree& tree_of(const MemoryRequest& request, int terminal);

  const Hardware& hardware_;
  const ChipMap map_;
  std::optional<NetworkRoutes> routes_;  // of a network that adds
  std::map<TreeKey, SumTree> trees_;
  SlotTable<Sum> sums_;
};

}  // namespace tilewright
