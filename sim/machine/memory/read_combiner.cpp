#include "sim/machine/memory/read_combiner.h"

namespace tilewright {

void ReadCombiner::reset() { state_ = State{}; }

void ReadCombiner::send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) {
  if (request.write) return memory_.send(request, client, now);
  const auto known = state_.place_of.find(request.address);
  if (known != state_.place_of.end()) {
    if (!join(state_.under_way[known->second], request, client)) memory_.send(request, client, now);
    return;
  }
  if (state_.under_way.used() >= entries_) return memory_.send(request, client, now);
  MemoryRequest first = request;
  first.tag = state_.under_way.acquire({{request, &client}});
  state_.place_of.emplace(request.address, first.tag);
  memory_.send(first, *this, now);
}

// Only a read of the same bytes.
bool ReadCombiner::join(std::vector<Asker>& askers, const MemoryRequest& request, MemoryClient& client) {
  if (askers.front().request.bytes != request.bytes) return false;
  askers.push_back({request, &client});
  ++state_.joined;
  state_.joined_bytes += request.bytes;
  return true;
}

void ReadCombiner::memory_done(const MemoryRequest& request, Picoseconds now) {
  const std::vector<Asker> askers = std::move(state_.under_way[request.tag]);
  state_.under_way.release(request.tag);
  state_.place_of.erase(request.address);
  for (Asker asker : askers) {
    asker.request.delay = request.delay;
    asker.client->memory_done(asker.request, now);
  }
}

void ReadCombiner::add_probes(Probes& probes) const {
  probes.push_back(
      {"reads", bits_for(entries_), [this] { return static_cast<std::uint64_t>(state_.under_way.used()); }});
}

void ReadCombiner::add_statistics(const std::string& prefix, const RunSpan&, Statistics& statistics) const {
  statistics.add(prefix + ".combined_reads", "requests", "reads that waited for the answer to another core's",
                 static_cast<double>(state_.joined));
  statistics.add(prefix + ".combined_bytes", "bytes", "of those reads", static_cast<double>(state_.joined_bytes));
}

}  // namespace tilewright
