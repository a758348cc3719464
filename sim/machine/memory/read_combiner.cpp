#include "sim/machine/memory/read_combiner.h"

namespace tilewright {

void ReadCombiner::reset() { state_ = State(entries_); }

void ReadCombiner::send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) {
  if (request.write || request.sums()) return memory_.send(request, client, now);
  if (const auto known = state_.reads.find(request)) {
    state_.reads[*known].push_back({request, &client});
    ++state_.joined;
    state_.joined_bytes += request.bytes;
    return;
  }
  const auto place = state_.reads.open(request, {{request, &client}});
  if (!place) return memory_.send(request, client, now);
  MemoryRequest first = request;
  first.tag = *place;
  memory_.send(first, *this, now);
}

void ReadCombiner::memory_done(const MemoryRequest& request, Picoseconds now) {
  const std::vector<Asker> askers = std::move(state_.reads[request.tag]);
  state_.reads.release(request.tag);
  for (Asker asker : askers) {
    asker.request.delay = request.delay;
    asker.client->memory_done(asker.request, now);
  }
}

void ReadCombiner::add_probes(Probes& probes) const {
  probes.push_back({"reads", bits_for(entries_), [this] { return static_cast<std::uint64_t>(state_.reads.used()); }});
}

void ReadCombiner::add_statistics(const std::string& prefix, const RunSpan&, Statistics& statistics) const {
  statistics.add(prefix + ".combined_reads", "requests", "reads that waited for the answer to another core's",
                 static_cast<double>(state_.joined));
  statistics.add(prefix + ".combined_bytes", "bytes", "of those reads", static_cast<double>(state_.joined_bytes));
}

}  // namespace tilewright
