// libFuzzer's two functions. TILEWRIGHT_FUZZ names the target; the options are libFuzzer's (scripts/fuzz gives them).
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "sim/base/error.h"
#include "tests/fuzz/targets.h"

namespace {

const tilewright::fuzz::Target* chosen = nullptr;

[[noreturn]] void explain() {
  std::fprintf(stderr, "TILEWRIGHT_FUZZ names no target; there are:");
  for (const auto& target : tilewright::fuzz::targets())
    std::fprintf(stderr, " %.*s", static_cast<int>(target.name.size()), target.name.data());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

}  // namespace

// SystemC's library asks for it; libFuzzer has main().
extern "C" int sc_main(int, char**) { return 0; }

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("TILEWRIGHT_FUZZ");
  for (const auto& target : tilewright::fuzz::targets())
    if (name && target.name == name) chosen = &target;
  if (!chosen) explain();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    chosen->read({reinterpret_cast<const char*>(data), size});
  } catch (const tilewright::UserError&) {
    // a mistake that was told
  }
  return 0;
}
