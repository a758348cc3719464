// What is fuzzed: every reader of text or bytes that comes from elsewhere. A reader may refuse with a UserError;
// anything else that leaves it, a fault of memory or arithmetic, and a reader that does not end are findings.
#pragma once

#include <span>
#include <string_view>

namespace tilewright::fuzz {

struct Target {
  std::string_view name;
  void (*read)(std::string_view input);  // throws what the reader throws
  std::string_view folder, extension;    // where good inputs lie in the tree, besides tests/fuzz/corpus/NAME
};

std::span<const Target> targets();

}  // namespace tilewright::fuzz
