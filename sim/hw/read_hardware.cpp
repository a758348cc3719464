#include "sim/hw/read_hardware.h"

#include <limits>

#include "sim/hw/hardware_fields.h"

namespace tilewright {
namespace {

// Visits the fields of a section and fills each from the mapping it is given.
class FieldReader {
 public:
  explicit FieldReader(YamlMap map) : map_(std::move(map)) {}
  ~FieldReader() { map_.reject_unknown_keys(); }
  FieldReader(const FieldReader&) = delete;
  FieldReader& operator=(const FieldReader&) = delete;

  void operator()(const std::string& key, Opt<int>& field) {
    Opt<std::int64_t> value = map_.integer(key);
    if (value && *value != static_cast<int>(*value))
      map_.expected(key, fmt::format("at most {}", std::numeric_limits<int>::max()));
    if (value) field = static_cast<int>(*value);
  }
  void operator()(const std::string& key, Opt<std::int64_t>& field) { field = map_.integer(key); }
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
  void section(const std::string& key, Section&& config) {
    Opt<YamlMap> map = map_.map(key);
    if (!map) return;
    if constexpr (requires { config.present; }) config.present = true;
    FieldReader reader(*map);
    fields(reader, config);
  }

 private:
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
  {
    FieldReader reader(document.root());
    fields(reader, config);
  }
  document.check();
  config.file = document.file();
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
