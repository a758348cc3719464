// Bytes that begin as zero. The operating system provides memory only for pages that are touched, and for none before
// the first use: a chip may have far more buffers than this machine has memory, as long as programs leave them empty.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "sim/base/units.h"

namespace tilewright {

class ZeroedBytes {
 public:
  ZeroedBytes() = default;
  explicit ZeroedBytes(Bytes size) : size_(size) {}

  Bytes size() const { return size_; }
  bool holds(Address address, Bytes bytes) const { return address >= 0 && bytes <= size_ && address <= size_ - bytes; }

  std::byte* data() {
    if (!memory_) memory_.reset(static_cast<std::byte*>(std::calloc(static_cast<std::size_t>(size_), 1)));
    if (!memory_ && size_ > 0) throw std::bad_alloc();
    return memory_.get();
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  Bytes size_ = 0;
  std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace tilewright
