// What every unit did, as a file of Chrome trace events (opens in Perfetto): one process per core, one thread per unit.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/session.h"

namespace tilewright {

// Picoseconds as the microseconds of the format, every digit kept: 1234567 -> "1.234567".
std::string trace_microseconds(Picoseconds time);

// Collects spans during a run. Memory: 32 bytes a span.
class TraceRecorder : public TraceListener {
 public:
  void span(const std::string& lane, std::string_view name, Picoseconds begin, Picoseconds end, int op) override;

  // `operators` as Program::operators, for the spans' arguments. A lane of the format holds no overlapping spans, but a
  // unit may have several instructions in flight. They complete in order, so each is drawn from the completion of the
  // one before, and its argument "started_us" tells when it really started.
  std::string to_json(const std::vector<std::string>& operators) const;
  std::size_t spans() const { return spans_.size(); }

 private:
  struct Span {
    Picoseconds begin, end;
    int lane, name, op;
  };
  std::map<std::string, int, std::less<>> lanes_, names_;  // in order of first appearance by value
  std::vector<Span> spans_;
};

}  // namespace tilewright
