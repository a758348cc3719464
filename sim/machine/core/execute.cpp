#include "sim/machine/core/execute.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/base/error.h"
#include "sim/isa/request_splitter.h"

namespace tilewright {

DramImage::DramImage(const std::vector<Segment>& segments) {
  std::vector<std::pair<Address, Address>> ranges;
  for (const Segment& segment : segments) {
    if (segment.bytes > 0) ranges.emplace_back(segment.address, segment.address + segment.bytes);
  }
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 0; i < ranges.size();) {
    Address end = ranges[i].second;
    std::size_t next = i + 1;
    for (; next < ranges.size() && ranges[next].first <= end; ++next) end = std::max(end, ranges[next].second);
    extents_.push_back({ranges[i].first, ZeroedBytes(end - ranges[i].first)});
    i = next;
  }
}

std::byte* DramImage::at(Address address, Bytes bytes) {
  const auto holds = [&](const Extent& extent) { return extent.memory.holds(address - extent.begin, bytes); };
  if (last_ >= extents_.size() || !holds(extents_[last_])) {
    const auto after = std::upper_bound(extents_.begin(), extents_.end(), address,
                                        [](Address value, const Extent& extent) { return value < extent.begin; });
    SIM_CHECK(after != extents_.begin() && holds(*std::prev(after)), "{} bytes at DRAM address {} are in no segment",
              bytes, address);
    last_ = static_cast<std::size_t>(std::prev(after) - extents_.begin());
  }
  return extents_[last_].memory.data() + (address - extents_[last_].begin);
}

ZeroedBytes& CoreMemory::memory_of(Space space) {
  if (space == Space::kBufferA) return buffer_a;
  if (space == Space::kBufferB) return buffer_b;
  if (space == Space::kAccumulator) return accumulator;
  SIM_CHECK(cluster, "a core without cluster memory reaches into it");
  return *cluster;
}

std::byte* CoreMemory::at(Space space, Address address, Bytes bytes, int owner) {
  if (space == Space::kDram) return dram->at(address, bytes);
  SIM_CHECK(owner == kOwnMemory || others, "{} belongs to others", place_name(space, owner));
  ZeroedBytes& memory = owner == kOwnMemory        ? memory_of(space)
                        : space == Space::kCluster ? others->clusters.at(owner)
                                                   : others->cores.at(owner).memory_of(space);
  SIM_CHECK(memory.holds(address, bytes), "{} bytes at {} address {}", bytes, place_name(space, owner), address);
  return memory.data() + address;
}

namespace {

// Address in `box` of the element with the low padding behind it.
Address skip_padding(const Transfer& transfer, const Box& box) {
  Address address = box.address;
  for (int d = 0; d < kBoxDims; ++d) address += transfer.pad_low[d] * box.stride[d];
  return address;
}

void fill_with_padding(const Transfer& transfer, CoreMemory& memory) {
  const Bytes element = bytes_of(transfer.type);
  std::byte value[8];
  store_element(value, transfer.type, transfer.pad_value);
  RunWalker runs(transfer.shape, transfer.target.stride, transfer.target.address, element);
  for (; !runs.done(); runs.advance()) {
    std::byte* to = memory.at(transfer.target.space, runs.current().address, runs.run_bytes(), transfer.target.owner);
    for (Bytes at = 0; at < runs.run_bytes(); at += element) std::memcpy(to + at, value, element);
  }
}

// Walks two boxes of one shape in step: the shorter runs decide how much moves at a time.
void copy_elements(const Transfer& transfer, CoreMemory& memory) {
  const Extents extents = unpadded(transfer);
  const Bytes element = bytes_of(transfer.type);
  RunWalker from(extents, transfer.source.stride, transfer.source.address, element);
  RunWalker to(extents, transfer.target.stride, skip_padding(transfer, transfer.target), element);
  Bytes read = 0, written = 0;
  while (!from.done()) {
    const Bytes bytes = std::min(from.run_bytes() - read, to.run_bytes() - written);
    std::memmove(memory.at(transfer.target.space, to.current().address + written, bytes, transfer.target.owner),
                 memory.at(transfer.source.space, from.current().address + read, bytes, transfer.source.owner), bytes);
    read += bytes;
    written += bytes;
    if (read == from.run_bytes()) from.advance(), read = 0;
    if (written == to.run_bytes()) to.advance(), written = 0;
  }
}

// Rounded to the type after each addition.
void add_elements(std::byte* sum, const std::byte* value, DataType type, Bytes bytes) {
  const Bytes element = bytes_of(type);
  for (Bytes at = 0; at < bytes; at += element)
    store_element(sum + at, type, load_element(sum + at, type) + load_element(value + at, type));
}

// Into one packed run, and from there to the target: it may lie among what is summed.
void sum_elements(const Transfer& transfer, CoreMemory& memory) {
  const Bytes element = bytes_of(transfer.type);
  std::vector<std::byte> sums(static_cast<std::size_t>(element_count(transfer.shape) * element));
  transfer.summed.for_each(transfer.source.owner, [&](int owner) {
    const bool first = owner == transfer.source.owner;
    std::byte* to = sums.data();
    RunWalker from(transfer.shape, transfer.source.stride, transfer.source.address, element);
    for (; !from.done(); from.advance(), to += from.run_bytes()) {
      const std::byte* run = memory.at(transfer.source.space, from.current().address, from.run_bytes(), owner);
      if (first)
        std::memcpy(to, run, static_cast<std::size_t>(from.run_bytes()));
      else
        add_elements(to, run, transfer.type, from.run_bytes());
    }
  });
  const std::byte* value = sums.data();
  RunWalker to(transfer.shape, transfer.target.stride, transfer.target.address, element);
  for (; !to.done(); to.advance(), value += to.run_bytes())
    std::memcpy(memory.at(transfer.target.space, to.current().address, to.run_bytes()), value, to.run_bytes());
}

}  // namespace

void execute_transfer(const Transfer& transfer, CoreMemory& memory) {
  if (transfer.sums()) return sum_elements(transfer, memory);
  if (element_count(unpadded(transfer)) < element_count(transfer.shape)) fill_with_padding(transfer, memory);
  copy_elements(transfer, memory);
}

void execute(const Instruction& instruction, CoreMemory& memory) {
  if (const auto* transfer = std::get_if<Transfer>(&instruction.payload)) execute_transfer(*transfer, memory);
  if (const auto* matmul = std::get_if<Matmul>(&instruction.payload)) execute_matmul(*matmul, memory);
  if (const auto* vector = std::get_if<Vector>(&instruction.payload)) execute_vector(*vector, memory);
}

}  // namespace tilewright
