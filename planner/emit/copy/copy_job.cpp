#include "planner/emit/copy/copy_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/estimate/bandwidth.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

CopyJob job_of(const TracedCopy& copy) {
  CopyJob job{copy.name, copy.type, {}, {}};
  job.tensors.push_back({"input", SegmentKind::kInput, copy.input.layout});
  job.tensors.push_back({"output", SegmentKind::kOutput, copy.output.layout});
  return job;
}

// The tensor itself when it is plain, else a plain one beside it.
int plain_tensor(CopyJob& job, int tensor) {
  const Layout layout = job.tensors[tensor].layout;
  if (layout.is_plain()) return tensor;
  job.tensors.push_back({job.tensors[tensor].name + ".plain", SegmentKind::kHidden, Layout::plain(layout.shape())});
  return static_cast<int>(job.tensors.size()) - 1;
}

void reorder(CopyJob& job, const char* name, int from, int to) {
  if (from == to) return;
  const View all = View::of(job.tensors[from].layout.shape());
  job.passes.push_back({name, from, to, all, all, {}});
}

// The last pass of every way writes the output.
CopyJob with_padding(const TracedCopy& copy, CopyJob job) {
  job.passes.back().zero_padding = copy.zero_padding;
  return job;
}

}  // namespace

CopyJob direct_copy(const TracedCopy& copy) {
  CopyJob job = job_of(copy);
  job.passes.push_back({"copy", CopyJob::kInput, CopyJob::kOutput, copy.input.view, copy.output.view, {}});
  return with_padding(copy, std::move(job));
}

CopyJob copy_via_plain(const TracedCopy& copy) {
  CopyJob job = job_of(copy);
  const int input = plain_tensor(job, CopyJob::kInput);
  reorder(job, "input to plain", CopyJob::kInput, input);
  const bool moves_nothing = covers_in_order(copy.input.view, copy.input.layout.shape()) &&
                             covers_in_order(copy.output.view, copy.output.layout.shape());
  const int output = moves_nothing ? CopyJob::kOutput : plain_tensor(job, CopyJob::kOutput);
  if (element_count(copy.output.view.shape) < element_count(copy.output.layout.shape()))
    reorder(job, "output to plain", CopyJob::kOutput, output);
  job.passes.push_back({"copy", input, output, copy.input.view, copy.output.view, {}});
  reorder(job, "plain to output", output, CopyJob::kOutput);
  return with_padding(copy, std::move(job));
}

namespace {

CopyJob copy_via_plain_input(const TracedCopy& copy) {
  CopyJob job = job_of(copy);
  const int input = plain_tensor(job, CopyJob::kInput);
  reorder(job, "input to plain", CopyJob::kInput, input);
  job.passes.push_back({"copy", input, CopyJob::kOutput, copy.input.view, copy.output.view, {}});
  return with_padding(copy, std::move(job));
}

CopyJob copy_via_packed(const TracedCopy& copy) {
  CopyJob job = job_of(copy);
  const Layout packed = Layout::plain(copy.input.view.shape);
  const View all = View::of(packed.shape());
  job.tensors.push_back({"packed", SegmentKind::kHidden, packed});
  job.passes.push_back({"view to plain", CopyJob::kInput, 2, copy.input.view, all, {}});
  job.passes.push_back({"plain to output", 2, CopyJob::kOutput, all, copy.output.view, {}});
  return with_padding(copy, std::move(job));
}

bool same_passes(const CopyJob& a, const CopyJob& b) {
  return std::equal(a.passes.begin(), a.passes.end(), b.passes.begin(), b.passes.end(),
                    [&](const CopyPass& x, const CopyPass& y) {
                      return x.moves_as(y) && a.tensors[x.from].layout == b.tensors[y.from].layout &&
                             a.tensors[x.to].layout == b.tensors[y.to].layout;
                    });
}

}  // namespace

std::vector<CopyJob> copy_ways(const TracedCopy& copy) {
  std::vector<CopyJob> ways{direct_copy(copy)};
  for (const CopyJob& way : {copy_via_plain_input(copy), copy_via_packed(copy), copy_via_plain(copy)})
    if (std::none_of(ways.begin(), ways.end(), [&](const CopyJob& known) { return same_passes(known, way); }))
      ways.push_back(way);
  return ways;
}

namespace {

using Tiles = std::vector<StagedTile>;

class Distributor {
 public:
  Distributor(const Hardware& hardware, const CopyJob& job, const CopyTiling& tiling)
      : hardware_(hardware), job_(job), tiling_(tiling), by_core_(hardware.cores()), by_region_(hardware.dram.regions) {
    for (int core = 0; core < hardware.cores(); ++core) by_region_[region_next_to(core)].push_back(core);
    for (std::vector<int>& local : by_region_)
      for (int core = 0; local.empty() && core < hardware.cores(); ++core) local.push_back(core);
  }

  std::vector<Tiles> run(const std::vector<CopyBox>& boxes) {
    std::vector<Tiles> written(hardware_.dram.regions);
    for (StagedTile& tile : tiles_of(boxes)) written[region_of(tile.stores.front().write)].push_back(std::move(tile));
    for (int region = 0; region < hardware_.dram.regions; ++region)
      if (tiling_.distribution == CopyDistribution::kRoundRobin)
        distribute_round_robin(std::move(written[region]), by_region_[region]);
      else
        distribute_ranges(std::move(written[region]), by_region_[region]);
    for (int core = 0; core < hardware_.cores(); ++core) start_at(region_next_to(core), by_core_[core]);
    return std::move(by_core_);
  }

 private:
  TileRules rules_for(const std::vector<CopyBox>& boxes) const {
    const Bytes element = bytes_of(job_.type);
    std::int64_t total = 0;
    for (const CopyBox& box : boxes) total += box.elements();
    TileRules rules = tile_rules(hardware_, job_.type, tiling_.good_run);
    rules.room = hardware_.core.buffer_a / constants().copy_areas / element;
    rules.fair = std::max(ceil_div(total, constants().copy_tiles_per_core * hardware_.cores()),
                          constants().copy_min_tile_bytes / element);
    if (rules.room == 0)
      throw UserError(job_.name, fmt::format("a copy needs {} elements of {} bytes in buffer A, which has {} bytes",
                                             constants().copy_areas, element, hardware_.core.buffer_a));
    return rules;
  }

  // In the order of the output, so that boxes that each use a few DRAM channels only are under way together.
  Tiles tiles_of(const std::vector<CopyBox>& boxes) const {
    Tiles tiles = staged_tiles(boxes, rules_for(boxes));
    std::sort(tiles.begin(), tiles.end(),
              [](const StagedTile& a, const StagedTile& b) { return a.stores.front().write < b.stores.front().write; });
    return tiles;
  }

  int region_of(std::int64_t place) const { return hardware_.dram.region_of(place * bytes_of(job_.type)); }

  int region_next_to(int core) const { return hardware_.local_region(hardware_.cluster_of(core)); }

  // Each tile to the core that has got least so far.
  void distribute_round_robin(Tiles tiles, const std::vector<int>& cores) {
    std::vector<std::int64_t> moved(hardware_.cores(), 0);
    for (StagedTile& tile : tiles) {
      const int core = *std::min_element(cores.begin(), cores.end(), [&](int a, int b) { return moved[a] < moved[b]; });
      moved[core] += tile.moved();
      by_core_[core].push_back(std::move(tile));
    }
  }

  void distribute_ranges(Tiles tiles, const std::vector<int>& cores) {
    std::int64_t total = 0, before = 0;
    for (const StagedTile& tile : tiles) total += tile.moved();
    for (StagedTile& tile : tiles) {
      const std::int64_t middle = before + tile.moved() / 2;
      before += tile.moved();
      by_core_[cores[middle * std::ssize(cores) / total]].push_back(std::move(tile));
    }
  }

  // Every core begins with what it reads from next to it, so that not all read the same region at a time.
  void start_at(int region, Tiles& tiles) const {
    const int regions = hardware_.dram.regions;
    const auto turn = [&](const StagedTile& tile) {
      return (region_of(tile.loads.front().read) - region + regions) % regions;
    };
    std::stable_sort(tiles.begin(), tiles.end(),
                     [&](const StagedTile& a, const StagedTile& b) { return turn(a) < turn(b); });
  }

  const Hardware& hardware_;
  const CopyJob& job_;
  const CopyTiling tiling_;
  std::vector<Tiles> by_core_;
  std::vector<std::vector<int>> by_region_;  // cores next to each; all where a region has none
};

}  // namespace

TileRules tile_rules(const Hardware& hardware, DataType type, Bytes good_run) {
  const Bytes element = bytes_of(type);
  TileRules rules;
  rules.good_run = good_run / element;
  rules.burst = hardware.dram.burst_bytes / element;
  const double per_request = bandwidth_share(hardware, hardware.cores()) / hardware.core.dma.requests_per_cycle;
  rules.per_request = static_cast<std::int64_t>(per_request) / element;
  return rules;
}

std::vector<std::vector<StagedTile>> distribute(const Hardware& hardware, const CopyJob& job, const CopyTiling& tiling,
                                                const std::vector<CopyBox>& boxes) {
  return Distributor(hardware, job, tiling).run(boxes);
}

}  // namespace tilewright
