#include "sim/machine/core/execute.h"

#include <algorithm>
#include <cstring>

#include "sim/isa/run_walker.h"

namespace tilewright {
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
    std::byte* to = memory.at(transfer.target.space, runs.current().address, runs.run_bytes());
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
    std::memmove(memory.at(transfer.target.space, to.current().address + written, bytes),
                 memory.at(transfer.source.space, from.current().address + read, bytes), bytes);
    read += bytes;
    written += bytes;
    if (read == from.run_bytes()) from.advance(), read = 0;
    if (written == to.run_bytes()) to.advance(), written = 0;
  }
}

}  // namespace

void execute_transfer(const Transfer& transfer, CoreMemory& memory) {
  if (element_count(unpadded(transfer)) < element_count(transfer.shape)) fill_with_padding(transfer, memory);
  copy_elements(transfer, memory);
}

void execute(const Instruction& instruction, CoreMemory& memory) {
  if (const auto* transfer = std::get_if<Transfer>(&instruction.payload)) execute_transfer(*transfer, memory);
  if (const auto* matmul = std::get_if<Matmul>(&instruction.payload)) execute_matmul(*matmul, memory);
  if (const auto* vector = std::get_if<Vector>(&instruction.payload)) execute_vector(*vector, memory);
}

}  // namespace tilewright
