#include "sim/hw/config/read_hardware.h"

#include <limits>

#include "sim/hw/config/hardware_fields.h"

namespace tilewright {
namespace {

// Visits the fields of a section and fills each from the mapping it is given.
class FieldReader {
 public:
  explicit FieldReader(YamlMap map) : map_(std::move(map)) {}

  void operator()(const std::string& key, Opt<int>& field) {
    if (auto value = limited(key, std::numeric_limits<int>::max())) field = static_cast<int>(*value);
  }
  void operator()(const std::string& key, Opt<std::int64_t>& field) { field = limited(key, kLargest); }
  void operator()(const std::string& key, Opt<double>& field) { field = map_.number(key); }
  void operator()(const std::string& key, Opt<bool>& field) { field = map_.boolean(key); }
  void operator()(const std::string& key, Opt<std::string>& field) { field = map_.text(key); }
  void operator()(const std::string& key, Opt<std::vector<std::int64_t>>& field) { field = map_.integers(key); }
  void operator()(const std::string& key, Opt<std::vector<std::string>>& field) { field = map_.text_or_texts(key); }
  template <typename Enum>
  void operator()(const std::string& key, Opt<Enum>& field) {
    field = map_.choice(key, choices(Enum{}));
  }

  template <typename Section>
  static void read_section(YamlMap map, Section&& config) {
    FieldReader reader(std::move(map));
    fields(reader, config);
    reader.map_.reject_unknown_keys();
  }
  template <typename Section>
  void section(const std::string& key, Section&& config) {
    Opt<YamlMap> map = map_.map(key);
    if (!map) return;
    if constexpr (requires { config.present; }) config.present = true;
    read_section(*map, config);
  }

 private:
  // Far above any machine, and so small that its product with a unit or a count cannot overflow.
  static constexpr std::int64_t kLargest = std::int64_t{1} << 32;

  Opt<std::int64_t> limited(const std::string& key, std::int64_t largest) {
    Opt<std::int64_t> value = map_.integer(key);
    if (!value || (*value <= largest && *value >= -largest)) return value;
    map_.expected(key, fmt::format("at most {}", largest));
    return std::nullopt;
  }

  YamlMap map_;
};

// Collects the paths instead of reading.
class KeyLister {
 public:
  KeyLister(std::set<std::string>& keys, std::string prefix) : keys_(keys), prefix_(std::move(prefix)) {}
  template <typename T>
  void operator()(const std::string& key, T&) {
    keys_.insert(prefix_ + key);
  }
  template <typename Section>
  void section(const std::string& key, Section&& config) {
    keys_.insert(prefix_ + key);
    KeyLister lister(keys_, prefix_ + key + ".");
    fields(lister, config);
  }

 private:
  std::set<std::string>& keys_;
  std::string prefix_;
};

HardwareConfig read(YamlDocument& document) {
  HardwareConfig config;
  FieldReader::read_section(document.root(), config);
  config.problems = document.problems();
  config.lines = document.lines();
  return config;
}

}  // namespace

HardwareConfig read_hardware(const std::string& path) { return read(*YamlDocument::from_file(path)); }

HardwareConfig read_hardware_text(const std::string& text, const std::string& name) {
  return read(*YamlDocument::from_text(text, name));
}

std::set<std::string> hardware_keys() {
  std::set<std::string> keys;
  HardwareConfig config;
  KeyLister lister(keys, "");
  fields(lister, config);
  return keys;
}

}  // namespace tilewright
