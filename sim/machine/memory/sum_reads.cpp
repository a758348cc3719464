#include "sim/machine/memory/sum_reads.h"

#include "sim/base/error.h"

namespace tilewright {

SumReads::SumReads(const Hardware& hardware) : hardware_(hardware), map_(hardware) {
  if (hardware.network.reduction > 0) routes_.emplace(hardware.network);
}

const SumTree& SumReads::tree_of(const MemoryRequest& request, int terminal) {
  const ChipMap::Place place = map_.place_of(request.address);
  const TreeKey key{place.space, place.owner, request.summed, request.core, terminal};
  const auto known = trees_.find(key);
  if (known != trees_.end()) return known->second;
  std::vector<int> sources;
  request.summed.for_each(
      place.owner, [&](int owner) { sources.push_back(terminal_of(hardware_, place.space, owner, request.core)); });
  return trees_.emplace(key, make_sum_tree(hardware_.network, *routes_, sources, terminal)).first->second;
}

std::uint32_t SumReads::begin(const MemoryRequest& request, int terminal, std::uint32_t place) {
  SIM_CHECK(routes_, "a sum in a network that does not add");
  return sums_.acquire({request, terminal, place, &tree_of(request, terminal), {}});
}

std::vector<int> SumReads::holders(std::uint32_t sum) const {
  std::vector<int> holders;
  for (const auto& [holder, next] : sums_[sum].tree->next) holders.push_back(holder);
  return holders;
}

const SumTree::Meeting* SumReads::meet(std::uint32_t number, int router) {
  Sum& sum = sums_[number];
  const SumTree::Meeting& meeting = sum.tree->meetings.at(router);
  return ++sum.arrived[router] < meeting.inputs ? nullptr : &meeting;
}

std::uint32_t SumReads::finish(std::uint32_t sum) {
  const std::uint32_t place = sums_[sum].place;
  sums_.release(sum);
  return place;
}

}  // namespace tilewright
