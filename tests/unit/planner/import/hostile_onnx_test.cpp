// Damaged files end with a UserError or import; nothing else.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <iterator>

#include "sim/base/error.h"
#include "tests/unit/planner/import/onnx_text.h"

namespace tilewright {
namespace {

std::string content_of(const std::string& name) {
  std::ifstream file(std::string(TILEWRIGHT_SOURCE_DIR "/traces/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// True when the bytes were refused with a clear message.
bool is_refused(const std::string& bytes) {
  try {
    import_onnx(temporary_file(bytes, ".onnx"), {});
    return false;
  } catch (const UserError& error) {
    return std::string_view(error.what()).size() > 10;
  }
}

RC_GTEST_PROP(HostileOnnx, RandomBytesAreRefused, (const std::string& bytes)) { RC_ASSERT(is_refused(bytes)); }

RC_GTEST_PROP(HostileOnnx, TruncatedModelsAreRefused, ()) {
  static const std::string valid = content_of("tiny_attention.onnx");
  const auto length = *rc::gen::inRange<std::size_t>(0, valid.size() - 12);
  RC_ASSERT(is_refused(valid.substr(0, length)));
}

RC_GTEST_PROP(HostileOnnx, ChangedBytesNeverCrash, ()) {
  std::string bytes = content_of(*rc::gen::element<std::string>("tiny_attention.onnx", "tiny_mlp.onnx"));
  const int changes = *rc::gen::inRange(1, 6);
  for (int i = 0; i < changes; ++i)
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
  is_refused(bytes);
}

}  // namespace
}  // namespace tilewright
