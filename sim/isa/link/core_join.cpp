#include "sim/isa/link/core_join.h"

#include <limits>

#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr std::array<Unit, 3> kOthers{Unit::kStore, Unit::kMatmul, Unit::kVector};

// Of each token of a part the streams that post it and wait for it.
std::map<std::uint16_t, std::pair<Unit, Unit>> streams_of(const std::vector<Instruction>& instructions) {
  std::map<std::uint16_t, std::pair<Unit, Unit>> streams;
  for (const Instruction& instruction : instructions) {
    for (const std::uint16_t token : instruction.posts) streams[token].first = instruction.unit;
    for (const std::uint16_t token : instruction.waits) streams[token].second = instruction.unit;
  }
  return streams;
}

}  // namespace

std::uint16_t CoreJoin::token(Streams streams, std::size_t ordinal) {
  std::vector<std::uint16_t>& known = tokens_[streams];
  while (known.size() <= ordinal) {
    SIM_CHECK(count_ <= std::numeric_limits<std::uint16_t>::max(), "{} tokens do not fit a program", count_);
    known.push_back(static_cast<std::uint16_t>(count_++));
  }
  return known[ordinal];
}

void CoreJoin::append(std::vector<Instruction> instructions) {
  std::map<Streams, std::size_t> used;
  std::map<std::uint16_t, std::uint16_t> renamed;
  for (const auto& [id, streams] : streams_of(instructions)) renamed[id] = token(streams, used[streams]++);
  const auto rename = [&](TokenList& list) {
    for (int i = 0; i < list.count; ++i) list.token[i] = renamed.at(list.token[i]);
  };
  for (Instruction& instruction : instructions) {
    rename(instruction.waits);
    rename(instruction.posts);
    core_.instructions.push_back(std::move(instruction));
  }
}

Instruction& CoreJoin::add(Unit unit, const Barrier& barrier) {
  core_.instructions.push_back({unit, 0, {}, {}, barrier});
  return core_.instructions.back();
}

void CoreJoin::meet(int id, int participants, int alone) {
  for (const Unit unit : kOthers) add(unit, {alone++, 1}).posts.add(token({unit, Unit::kLoad}, 0));
  Instruction& meeting = add(Unit::kLoad, {id, participants});
  for (const Unit unit : kOthers) {
    meeting.waits.add(token({unit, Unit::kLoad}, 0));
    meeting.posts.add(token({Unit::kLoad, unit}, 0));
  }
  for (const Unit unit : kOthers) add(unit, {alone++, 1}).waits.add(token({Unit::kLoad, unit}, 0));
}

}  // namespace tilewright
