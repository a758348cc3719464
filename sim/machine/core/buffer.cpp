#include "sim/machine/core/buffer.h"

namespace tilewright {

void Buffer::add_statistics(const std::string& prefix, const RunSpan&, Statistics& statistics) const {
  statistics.add(prefix + ".read_bytes", "bytes", "read by the units", static_cast<double>(state_.read));
  statistics.add(prefix + ".written_bytes", "bytes", "written by the units", static_cast<double>(state_.written));
}

void Buffer::add_probes(Probes& probes) const {
  probes.push_back({"occupied", bits_for(capacity_), [this] { return static_cast<std::uint64_t>(state_.occupied); }});
}

}  // namespace tilewright
