#include "planner/measure/measure_copy.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace tilewright {
namespace {

using Memory = std::vector<std::byte>;

Memory random_memory(Bytes bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Memory memory(static_cast<std::size_t>(bytes));
  for (std::byte& byte : memory) byte = static_cast<std::byte>(random() & 0xff);
  return memory;
}

// The definition of the copy, element by element.
void copy_plainly(const TracedCopy& copy, const Memory& input, Memory& output) {
  const CopySide from{copy.input.layout, copy.input.view, 0, 0}, to{copy.output.layout, copy.output.view, 0, 0};
  const auto element = static_cast<std::size_t>(bytes_of(copy.type));
  std::vector<std::int64_t> x(copy.output.view.shape.size(), 0);
  do {
    std::memcpy(&output[to.place_of(x) * element], &input[from.place_of(x) * element], element);
  } while (next_coordinate(copy.output.view.shape, x));
  const Layout& layout = copy.output.layout;
  for (std::int64_t place = layout.offset(); copy.zero_padding && place < layout.physical_size(); ++place)
    if (!layout.logical_of(place)) std::memset(&output[place * element], 0, element);
}

class Values {
 public:
  Values(const Hardware& hardware, const CopyJob& job, const TracedCopy& copy) : job_(job), copy_(copy) {
    for (int tensor : {CopyJob::kInput, CopyJob::kOutput}) {
      memory_[tensor] = random_memory(job.tensors[tensor].layout.physical_size() * bytes_of(job.type), tensor + 1);
      pieces_[tensor] = pieces_of(hardware, job.tensors[tensor], job.type);
    }
  }

  RunOptions options() const {
    RunOptions options{.values = true};
    for (int tensor : {CopyJob::kInput, CopyJob::kOutput})
      for (const CopyPiece& piece : pieces_[tensor])
        options.initial.push_back({piece.segment, {at(tensor, piece.begin), at(tensor, piece.end)}});
    for (const CopyPiece& piece : pieces_[CopyJob::kOutput]) options.keep.push_back(piece.segment);
    return options;
  }

  std::int64_t wrong_bytes(const RunResult& result) const {
    Memory expected = memory_[CopyJob::kOutput], got;
    copy_plainly(copy_, memory_[CopyJob::kInput], expected);
    for (const CopyPiece& piece : pieces_[CopyJob::kOutput])
      for (const SegmentData& kept : result.kept)
        if (kept.segment == piece.segment) got.insert(got.end(), kept.bytes.begin(), kept.bytes.end());
    std::int64_t wrong = std::abs(std::ssize(expected) - std::ssize(got));
    for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i) wrong += expected[i] != got[i];
    return wrong;
  }

 private:
  Memory::const_iterator at(int tensor, std::int64_t place) const {
    return memory_[tensor].begin() + place * bytes_of(job_.type);
  }

  const CopyJob& job_;
  const TracedCopy& copy_;
  std::array<Memory, 2> memory_;
  std::array<std::vector<CopyPiece>, 2> pieces_;
};

std::int64_t total(const RunResult& result, Event event) {
  std::int64_t sum = 0;
  for (const OperatorResult& op : result.operators) sum += op.events[static_cast<int>(event)];
  return sum;
}

}  // namespace

CopyJob with_fastest_tilings(Session& session, CopyJob job) {
  std::vector<Picoseconds> least(job.passes.size(), kNever);
  CopyJob best = job;
  for (const CopyTiling& tiling : copy_tilings()) {
    for (CopyPass& pass : job.passes) pass.tiling = tiling;
    const RunResult result = session.run(make_copy_program(session.hardware(), job).program);
    for (std::size_t i = 0; i < job.passes.size(); ++i) {
      // The last pass has ended when its posted writes are in DRAM.
      const Picoseconds end = i + 1 == job.passes.size() ? result.time : result.operators[i + 1].end;
      const Picoseconds taken = end - result.operators[i + 1].begin;
      if (taken >= least[i]) continue;
      least[i] = taken;
      best.passes[i].tiling = tiling;
    }
  }
  return best;
}

double placement_limit(const Hardware& hardware, const TracedCopy& copy, const CopyBound& bound) {
  const CopyJob job = direct_copy(copy);
  std::vector<std::int64_t> moved(hardware.dram.regions, 0);
  for (const int tensor : {CopyJob::kInput, CopyJob::kOutput}) {
    const std::vector<bool>& places = tensor == CopyJob::kInput ? bound.reads : bound.writes;
    const auto pieces = pieces_of(hardware, job.tensors[tensor], copy.type);
    for (std::size_t region = 0; region < pieces.size(); ++region)
      for (std::int64_t at = pieces[region].begin; at < std::min(pieces[region].end, std::ssize(places)); ++at)
        moved[region] += places[at];
  }
  const auto busiest = static_cast<double>(*std::max_element(moved.begin(), moved.end()));
  return static_cast<double>(bound.read + bound.written) / (busiest * hardware.dram.regions);
}

CopyMeasurement measure_copy(Session& session, const CopyJob& job, const TracedCopy& copy, bool check) {
  const CopyProgram made = make_copy_program(session.hardware(), job);
  std::optional<Values> values;
  if (check) values.emplace(session.hardware(), job, copy);
  const RunResult result = session.run(made.program, values ? values->options() : RunOptions{});
  CopyMeasurement out{.time = result.time, .cycles = session.hardware().core_clock.ceil(result.time)};
  out.dram_read = total(result, Event::kDramReadBytes);
  out.dram_write = total(result, Event::kDramWriteBytes);
  for (const auto& boxes : made.boxes)
    for (const CopyBox& box : boxes) ++out.boxes, out.runs += box.elements() / box.run();
  if (values) out.wrong_bytes = values->wrong_bytes(result);
  return out;
}

}  // namespace tilewright
