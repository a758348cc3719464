#include "sim/hw/config/read_hardware.h"

#include "sim/hw/config/hardware_fields.h"

namespace tilewright {
namespace {

// Visits the fields of a section and fills each from the mapping it is given.
class FieldReader {
 public:
  explicit FieldReader(YamlMap map) : map_(std::move(map)) {}

  template <typename Number>
  void operator()(const std::string& key, Opt<Number>& field, const Domain& domain) {
    const auto value = written<Number>(key);
    if (!value) return;
    if (domain.holds(static_cast<double>(*value)))
      field = static_cast<Number>(*value);
    else
      map_.expected(key, to_text(domain));
  }
  void operator()(const std::string& key, Opt<bool>& field) { take(field, map_.boolean(key)); }
  void operator()(const std::string& key, Opt<std::string>& field) { take(field, map_.text(key)); }
  void operator()(const std::string& key, Opt<std::vector<std::int64_t>>& field) { take(field, map_.integers(key)); }
  void operator()(const std::string& key, Opt<std::vector<std::string>>& field) {
    take(field, map_.text_or_texts(key));
  }
  template <typename Enum>
  void operator()(const std::string& key, Opt<Enum>& field) {
    take(field, map_.choice(key, choices(Enum{})));
  }
  void count_or_kinds(const std::string& key, Opt<int>& count, const Domain& domain) {
    if (!is_list(key)) (*this)(key, count, domain);
  }
  // Each begins with what the whole chip has.
  void kinds(const std::string& key, HardwareConfig& config) {
    if (!is_list(key)) return;
    for (const YamlMap& map : map_.maps(key)) {
      config.kinds.push_back({.core = config.core, .cluster_memory = config.cluster_memory});
      read_section(map, config.kinds.back());
    }
    if (config.kinds.empty()) map_.expected(key, "a number, or one kind of cluster or more");
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
  template <typename T>
  static void take(Opt<T>& field, Opt<T> value) {
    if (value) field = std::move(value);
  }
  bool is_list(const std::string& key) {
    const auto node = map_.node(key);
    return node && node->IsSequence();
  }
  template <typename Number>
  auto written(const std::string& key) {
    if constexpr (std::is_floating_point_v<Number>)
      return map_.number(key);
    else
      return map_.integer(key);
  }

  YamlMap map_;
};

// Collects the paths and domains instead of reading.
class KeyLister {
 public:
  KeyLister(std::map<std::string, std::string>& keys, std::string prefix) : keys_(keys), prefix_(std::move(prefix)) {}
  template <typename T>
  void operator()(const std::string& key, T&) {
    keys_[prefix_ + key];
  }
  template <typename T>
  void operator()(const std::string& key, T&, const Domain& domain) {
    keys_[prefix_ + key] = to_text(domain);
  }
  void count_or_kinds(const std::string& key, Opt<int>& count, const Domain& domain) { (*this)(key, count, domain); }
  void kinds(const std::string&, HardwareConfig&) {}  // which have the keys of the sections
  template <typename Section>
  void section(const std::string& key, Section&& config) {
    keys_[prefix_ + key];
    KeyLister lister(keys_, prefix_ + key + ".");
    fields(lister, config);
  }

 private:
  std::map<std::string, std::string>& keys_;
  std::string prefix_;
};

std::map<std::string, std::string> listed_keys() {
  std::map<std::string, std::string> keys;
  HardwareConfig config;
  KeyLister lister(keys, "");
  fields(lister, config);
  return keys;
}

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
  std::set<std::string> names;
  for (const auto& [path, domain] : listed_keys()) names.insert(path);
  return names;
}

std::string hardware_domain(const std::string& path) { return listed_keys().at(path); }

}  // namespace tilewright
