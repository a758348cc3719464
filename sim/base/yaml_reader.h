// Strict reading of YAML: typed getters that remember which keys were asked for. A key nobody asked for, a wrong type
// or a value outside a closed set is a problem; problems are collected and reported together by YamlDocument::check(),
// each as `file:line: key.path: got 'x', expected a|b|c`.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/text_list.h"

namespace tilewright {

// Problems of one input file, in the order of their lines.
class FileProblems {
 public:
  explicit FileProblems(std::string file) : file_(std::move(file)) {}
  // `line` 0: the file as a whole; `path` may be empty.
  void add(int line, const std::string& path, const std::string& what);
  bool empty() const { return problems_.empty(); }
  // Whether the value at exactly this path has a problem already.
  bool has(const std::string& path) const { return paths_.contains(path); }
  const std::string& file() const { return file_; }
  // Throws one UserError with a line per problem, when there is any.
  void check() const;

 private:
  std::string file_;
  std::multimap<int, std::string> problems_;
  std::set<std::string> paths_;
};

template <typename Enum>
using Choices = std::vector<std::pair<std::string_view, Enum>>;

// Longest text of a document: the parser needs up to 250 times as much memory.
inline constexpr std::int64_t kMaxYamlBytes = 8 << 20;

class YamlDocument;

// One mapping of the document. A getter returns nothing when the key is absent or its value is a (recorded) problem.
class YamlMap {
 public:
  std::optional<std::int64_t> integer(const std::string& key);
  std::optional<double> number(const std::string& key);
  std::optional<bool> boolean(const std::string& key);
  std::optional<std::string> text(const std::string& key);
  std::optional<std::vector<std::int64_t>> integers(const std::string& key);
  std::optional<std::vector<std::string>> texts(const std::string& key);
  std::optional<YamlMap> map(const std::string& key);
  // A list of mappings; empty when the key is absent.
  std::vector<YamlMap> maps(const std::string& key);
  // The value itself, for what no other getter can read.
  std::optional<YAML::Node> node(const std::string& key);
  // A value that is a string or a list of strings, always as a list.
  std::optional<std::vector<std::string>> text_or_texts(const std::string& key);

  template <typename Enum>
  std::optional<Enum> choice(const std::string& key, const Choices<Enum>& choices) {
    std::optional<std::string> value = text(key);
    if (!value) return std::nullopt;
    for (const auto& [name, meaning] : choices)
      if (name == *value) return meaning;
    std::string names;
    for (const auto& [name, meaning] : choices) append_item(names, "|", name);
    expected(key, names);
    return std::nullopt;
  }

  // Like the getter without `require_`, but an absent key is a problem.
  std::int64_t require_integer(const std::string& key);
  std::string require_text(const std::string& key);

  bool has(const std::string& key) const;
  std::vector<std::string> keys() const;
  int line() const { return line_; }
  int line_of(const std::string& key) const;  // of the mapping itself when the key is absent
  std::string path_of(const std::string& key) const;
  // Records a problem with the value of `key`, e.g. expected("rows", "1 or more").
  void expected(const std::string& key, const std::string& what);
  void problem(const std::string& key, const std::string& what);
  // Records every key that no getter asked for, with the nearest known key as a hint, and every key written twice.
  void reject_unknown_keys();

 private:
  friend class YamlDocument;
  YamlMap(const YAML::Node& node, std::string path, int line, YamlDocument* document)
      : node_(node), path_(std::move(path)), line_(line), document_(document) {}
  YAML::Node find(const std::string& key);  // also marks the key as known
  template <typename T>
  std::optional<T> scalar(const std::string& key, const char* type);
  template <typename T>
  std::optional<std::vector<T>> list(const std::string& key, const char* type);

  YAML::Node node_;
  std::string path_;
  int line_ = 0;
  YamlDocument* document_;
  std::set<std::string> asked_;
};

// One file. It must stay where it is while maps of it are in use.
class YamlDocument {
 public:
  // Throws UserError when the file cannot be read, is no YAML or is not a mapping.
  static std::unique_ptr<YamlDocument> from_file(const std::string& path);
  static std::unique_ptr<YamlDocument> from_text(const std::string& text, const std::string& name);

  YamlMap root();
  FileProblems& problems() { return problems_; }
  const std::string& file() const { return problems_.file(); }
  // Throws UserError with every problem found so far.
  void check() const { problems_.check(); }
  // Full paths of all keys that getters asked for, list positions left out.
  const std::set<std::string>& known_keys() const { return known_keys_; }
  // Lines of the keys that were asked for and present, by full path.
  const std::map<std::string, int>& lines() const { return lines_; }

 private:
  friend class YamlMap;
  explicit YamlDocument(std::string name) : problems_(std::move(name)) {}

  YAML::Node root_;
  FileProblems problems_;
  std::set<std::string> known_keys_;
  std::map<std::string, int> lines_;
};

// The candidate with the smallest edit distance, or nothing when none is close.
std::optional<std::string> nearest_name(const std::string& name, const std::set<std::string>& candidates);

}  // namespace tilewright
