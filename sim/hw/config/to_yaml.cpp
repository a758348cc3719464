#include <fmt/ranges.h>

#include "sim/base/hash.h"
#include "sim/hw/config/hardware_fields.h"
#include "sim/hw/config/resolve.h"
#include "sim/hw/config/to_config.h"

namespace tilewright {
namespace {

// Writes the fields that are present; a section without any is left out.
class FieldWriter {
 public:
  FieldWriter(std::string& out, int depth) : out_(out), indent_(2 * depth, ' '), depth_(depth) {}

  template <typename T>
  void operator()(const std::string& key, const Opt<T>& field) {
    if (field) out_ += fmt::format("{}{}: {}\n", indent_, key, text(*field));
  }
  template <typename Section>
  void section(const std::string& key, Section&& config) {
    std::string inside;
    FieldWriter writer(inside, depth_ + 1);
    fields(writer, config);
    if (!inside.empty()) out_ += fmt::format("{}{}:\n{}", indent_, key, inside);
  }

 private:
  template <typename T>
  static std::string text(const T& value) {
    if constexpr (std::is_enum_v<T>)
      return choice_name(value);
    else
      return fmt::format("{}", value);  // doubles: the shortest text that reads back as the same number
  }
  static std::string text(const std::string& value) {
    std::string quoted = "\"";
    for (char c : value) quoted += (c == '"' || c == '\\') ? std::string{'\\', c} : std::string{c};
    return quoted + "\"";
  }
  static std::string text(const std::vector<std::int64_t>& list) { return fmt::format("[{}]", fmt::join(list, ", ")); }
  static std::string text(const std::vector<std::string>& list) { return fmt::format("[{}]", fmt::join(list, ", ")); }

  std::string& out_;
  std::string indent_;
  int depth_;
};

}  // namespace

std::string to_yaml(const Hardware& hardware) {
  HardwareConfig config = to_config(hardware);
  std::string out;
  FieldWriter writer(out, 0);
  fields(writer, config);
  return out;
}

std::uint64_t fingerprint(const Hardware& hardware) {
  Hardware unnamed = hardware;
  unnamed.name.clear();
  unnamed.dram.preset.clear();
  return fnv1a(to_yaml(unnamed));
}

}  // namespace tilewright
