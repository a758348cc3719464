// libFuzzer's two functions. TILEWRIGHT_FUZZ names the target; the options are libFuzzer's (scripts/fuzz gives them).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "sim/base/error.h"
#include "tests/fuzz/targets.h"

namespace {

const tilewright::fuzz::Target* chosen = nullptr;

// What there is, a line each: the name, and where good inputs lie, if they do.
[[noreturn]] void explain() {
  std::fprintf(stderr, "TILEWRIGHT_FUZZ names no target; there are those of standard output\n");
  for (const auto& target : tilewright::fuzz::targets())
    std::printf("%s %s*%s\n", std::string(target.name).c_str(), (std::string(target.folder) + "/").c_str(),
                std::string(target.extension).c_str());
  std::fflush(stdout);
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
