#include "planner/report/run/channel_balance.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "planner/constants/constants.h"
#include "sim/hw/timing/address_map.h"
#include "sim/isa/request_splitter.h"

namespace tilewright {
namespace {

// Requests by block and channel.
class Blocks {
 public:
  Blocks(int channels, int per_block) : channels_(channels), per_block_(per_block) {}

  void add(std::int64_t number_in_core, int channel) {
    const auto at = static_cast<std::size_t>(number_in_core / per_block_) * channels_;
    if (counts_.size() < at + channels_) counts_.resize(at + channels_);
    ++counts_[at + channel];
  }
  double imbalance() const {
    std::int64_t busiest = 0, all = 0;
    for (auto block = counts_.begin(); block != counts_.end(); block += channels_) {
      busiest += *std::max_element(block, block + channels_);
      all += std::accumulate(block, block + channels_, std::int64_t{0});
    }
    return all == 0 ? 1 : static_cast<double>(busiest * channels_) / static_cast<double>(all);
  }

 private:
  const int channels_, per_block_;
  std::vector<std::int64_t> counts_;
};

template <typename Visit>
void for_each_dram_request(const Transfer& transfer, const Box& box, const Extents& shape, const Hardware& hardware,
                           const Visit& visit) {
  if (box.space != Space::kDram) return;
  const RunWalker runs(shape, box.stride, box.address, bytes_of(transfer.type));
  RequestSplitter requests(runs, dram_request_limits(hardware));
  while (!requests.done()) visit(requests.next().address);
}

DramSpec with_hash(DramSpec dram) {
  dram.interleave_hash = true;
  return dram;
}

DramSpec with_interleave(DramSpec dram, Bytes bytes) {
  dram.interleave_bytes = bytes;
  return dram;
}

struct Alternative {
  DramSpec dram;
  std::string change;
};

// A request lies in one chunk, so chunks are not made smaller than that.
std::vector<Alternative> alternatives(const Hardware& hardware) {
  std::vector<Alternative> others;
  const DramSpec& dram = hardware.dram;
  if (!dram.interleave_hash && std::has_single_bit(static_cast<unsigned>(dram.channels / dram.regions)))
    others.push_back({with_hash(dram), "dram.interleave_hash=true"});
  for (const Bytes bytes : {dram.interleave_bytes / 2, dram.interleave_bytes * 2, dram.interleave_bytes * 4})
    if (bytes >= hardware.core.dma.request_bytes &&
        (!dram.pseudo_interleave_bytes || bytes >= dram.pseudo_interleave_bytes))
      others.push_back({with_interleave(dram, bytes), fmt::format("dram.interleave_bytes={}", bytes)});
  return others;
}

}  // namespace

double channel_imbalance(const Program& program, const Hardware& hardware, const DramSpec& dram) {
  Blocks blocks(dram.channels, hardware.core.dma.outstanding_requests);
  for (const CoreProgram& core : program.cores) {
    std::int64_t number = 0;
    const auto count = [&](Address address) { blocks.add(number++, locate(dram, address).channel); };
    for (const Instruction& instruction : core.instructions) {
      const auto* transfer = std::get_if<Transfer>(&instruction.payload);
      if (!transfer) continue;
      for_each_dram_request(*transfer, transfer->source, unpadded(*transfer), hardware, count);
      for_each_dram_request(*transfer, transfer->target, transfer->shape, hardware, count);
    }
  }
  return blocks.imbalance();
}

std::optional<ChannelAdvice> advice_on_channels(const Program& program, const Hardware& hardware) {
  const double gain = constants().channel_warning_gain;
  ChannelAdvice advice{.imbalance = channel_imbalance(program, hardware, hardware.dram)};
  if (advice.imbalance < gain) return std::nullopt;
  advice.changed_imbalance = advice.imbalance;
  for (const Alternative& other : alternatives(hardware)) {
    const double imbalance = channel_imbalance(program, hardware, other.dram);
    if (imbalance >= advice.changed_imbalance) continue;
    advice.changed_imbalance = imbalance;
    advice.change = other.change;
  }
  if (advice.imbalance < gain * advice.changed_imbalance) return std::nullopt;
  return advice;
}

}  // namespace tilewright
