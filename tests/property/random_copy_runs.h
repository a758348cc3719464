// Random copies through the simulated chip: every byte of the output's memory must be as moving the elements one by one
// leaves it.
#pragma once

#include <cstring>
#include <memory>

#include "planner/measure/measure_copy.h"
#include "sim/hw/config/read_hardware.h"
#include "tests/property/random_copies.h"

namespace tilewright::test {

inline Hardware chip_with_buffer(const char* file, Bytes buffer_a) {
  Hardware chip = load_hardware(fmt::format("{}/hw_configs/{}.yaml", TILEWRIGHT_SOURCE_DIR, file));
  chip.core.buffer_a = buffer_a;
  return chip;
}

// All sessions of a process are made before the first one runs.
inline std::vector<std::unique_ptr<Session>> make_copy_chips() {
  std::vector<std::unique_ptr<Session>> sessions;
  for (const char* file : {"edge_single", "dual_cluster_cache", "quad_smp", "quad_numa", "tpu_v3_core"})
    for (const Bytes buffer_a : {256, 8192, 65536})
      sessions.push_back(std::make_unique<Session>(chip_with_buffer(file, buffer_a)));
  return sessions;
}

inline const std::vector<std::unique_ptr<Session>>& copy_chips() {
  static const auto sessions = make_copy_chips();
  return sessions;
}

// The memory of a tensor, in the segments that hold it.
using CopyBytes = std::vector<std::byte>;

class CopyRun {
 public:
  CopyRun(Session& session, const CopyCase& one, DataType type, std::uint64_t seed)
      : session_(session), one_(one), type_(type), random_(seed), zero_padding_(random_() % 2 == 0) {
    memory_[CopyJob::kInput] = random_bytes(one.from.side.layout);
    memory_[CopyJob::kOutput] = random_bytes(one.to.side.layout);
  }

  TracedCopy traced() const {
    return {"random",
            type_,
            {one_.from.side.layout, one_.from.side.view},
            {one_.to.side.layout, one_.to.side.view},
            zero_padding_};
  }

  // The output's memory after the program ran.
  CopyBytes simulated() const {
    const CopyJob job = direct_copy(traced());
    RunOptions options{.values = true};
    for (const int tensor : {CopyJob::kInput, CopyJob::kOutput})
      for (const CopyPiece& piece : pieces_of(session_.hardware(), job.tensors[tensor], type_)) {
        options.initial.push_back({piece.segment, {at(tensor, piece.begin), at(tensor, piece.end)}});
        if (tensor == CopyJob::kOutput) options.keep.push_back(piece.segment);
      }
    const RunResult result = session_.run(make_copy_program(session_.hardware(), job).program, options);
    CopyBytes bytes;
    for (const std::string& segment : options.keep)
      for (const SegmentData& data : result.kept)
        if (data.segment == segment) bytes.insert(bytes.end(), data.bytes.begin(), data.bytes.end());
    return bytes;
  }

  CopyBytes plainly() const {
    CopyBytes output = memory_[CopyJob::kOutput];
    const auto element = static_cast<std::size_t>(bytes_of(type_));
    for (std::size_t i = 0; i < one_.to.places.size(); ++i)
      std::memcpy(&output[one_.to.places[i] * element], &memory_[CopyJob::kInput][one_.from.places[i] * element],
                  element);
    if (zero_padding_)
      for (const std::int64_t place : one_.to.padding) std::memset(&output[place * element], 0, element);
    return output;
  }

 private:
  CopyBytes random_bytes(const Layout& layout) {
    CopyBytes bytes(static_cast<std::size_t>(layout.physical_size() * bytes_of(type_)));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random_() & 0xff);
    return bytes;
  }

  CopyBytes::const_iterator at(int tensor, std::int64_t place) const {
    return memory_[tensor].begin() + place * bytes_of(type_);
  }

  Session& session_;
  const CopyCase& one_;
  DataType type_;
  std::mt19937_64 random_;
  bool zero_padding_;
  std::array<CopyBytes, 2> memory_;
};

inline DataType copy_type(int i) {
  return i % 3 == 0 ? DataType::kBf16 : i % 3 == 1 ? DataType::kInt8 : DataType::kFp32;
}

// The cases that no output is written twice in.
template <typename Use>
void for_each_run(std::uint64_t seed, std::int64_t most, int cases, Use use) {
  const auto& sessions = copy_chips();
  RandomCopies random(seed, most);
  for (int i = 0; i < cases && !testing::Test::HasFatalFailure(); ++i) {
    const CopyCase one = random.next_whole();
    if (overlaps_itself(one.to.side.view)) continue;
    SCOPED_TRACE(fmt::format("case {}: {}", i, RandomCopies::describe(one)));
    use(*sessions[static_cast<std::size_t>(i) % sessions.size()], one, i);
  }
}

// Every byte against the element-by-element definition. Returns the copies made.
inline int run_random_copies(std::uint64_t seed, std::int64_t most, int cases) {
  int copies = 0;
  for_each_run(seed, most, cases, [&](Session& session, const CopyCase& one, int i) {
    const CopyRun run(session, one, copy_type(i), seed + static_cast<std::uint64_t>(i));
    ASSERT_EQ(run.simulated(), run.plainly());
    ++copies;
  });
  return copies;
}

// All ways as `tilewright copy --check --all-ways` takes them, and that values change no time.
inline void measure_random_copies(std::uint64_t seed, std::int64_t most, int cases) {
  for_each_run(seed, most, cases, [&](Session& session, const CopyCase& one, int i) {
    const TracedCopy copy = CopyRun(session, one, copy_type(i), seed + static_cast<std::uint64_t>(i)).traced();
    const CopyMeasurement direct = measure_copy(session, direct_copy(copy), copy, true);
    ASSERT_EQ(direct.wrong_bytes, 0);
    for (const CopyJob& way : copy_ways(copy)) ASSERT_EQ(measure_copy(session, way, copy, true).wrong_bytes, 0);
    ASSERT_EQ(measure_copy(session, direct_copy(copy), copy, false).cycles, direct.cycles) << "values change the time";
    const CopyBound bound = copy_bound(one.from.side, one.to.side);
    ASSERT_GE(direct.dram_read, bound.read * bytes_of(copy.type));
    ASSERT_GE(direct.dram_write, bound.written * bytes_of(copy.type));
  });
}

}  // namespace tilewright::test
