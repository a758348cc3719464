#include "sim/base/yaml_reader.h"

#include <algorithm>
#include <regex>

#include "sim/base/text_file.h"

namespace tilewright {
namespace {

std::string shown(const YAML::Node& node) {
  if (node.IsSequence()) return "a list";
  if (node.IsMap()) return "a mapping";
  if (node.IsNull()) return "'' (nothing)";
  if (node.Tag() == "!") return "'\"" + node.Scalar() + "\"'";
  return "'" + node.Scalar() + "'";
}

std::string without_positions(const std::string& path) {
  static const std::regex position("\\[[0-9]+\\]");
  return std::regex_replace(path, position, "");
}

// Quoted scalars carry the tag "!": "8" in quotes is text and no number.
bool is_plain(const YAML::Node& node) { return node.IsScalar() && node.Tag() != "!"; }

bool decode(const YAML::Node& node, std::string& value) {
  if (!node.IsScalar()) return false;
  value = node.Scalar();
  return true;
}

template <typename T>
bool decode(const YAML::Node& node, T& value) {
  return is_plain(node) && YAML::convert<T>::decode(node, value);
}

bool finite(double value) { return value - value == 0; }
template <typename T>
bool finite(const T&) {
  return true;
}

int edit_distance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      int replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(const std::string& name, const std::set<std::string>& candidates) {
  std::optional<std::string> best;
  int limit = static_cast<int>(std::max<std::size_t>(2, name.size() / 3));
  for (const std::string& candidate : candidates) {
    int distance = edit_distance(name, candidate);
    if (distance > limit || (best && distance == limit)) continue;
    best = candidate;
    limit = distance;
  }
  return best;
}

void FileProblems::add(int line, const std::string& path, const std::string& what) {
  paths_.insert(path);
  std::string where = line > 0 ? fmt::format("{}:{}", file_, line) : file_;
  problems_.emplace(line, where + ": " + (path.empty() ? "" : path + ": ") + what);
}

void FileProblems::check() const {
  if (problems_.empty()) return;
  std::string all;
  for (const auto& [line, text] : problems_) all += (all.empty() ? "" : "\n") + text;
  throw UserError("", all);
}

std::unique_ptr<YamlDocument> YamlDocument::from_file(const std::string& path) {
  const std::string text = read_text_file(path);
  if (text.empty()) throw UserError(path, "the file is empty");
  return from_text(text, path);
}

std::unique_ptr<YamlDocument> YamlDocument::from_text(const std::string& text, const std::string& name) {
  if (std::ssize(text) > kMaxYamlBytes)
    throw UserError(name, fmt::format("the file has {} bytes, YAML files at most {}", text.size(), kMaxYamlBytes));
  std::unique_ptr<YamlDocument> document(new YamlDocument(name));
  try {
    document->root_ = YAML::Load(text);
  } catch (const YAML::Exception& error) {
    throw UserError(fmt::format("{}:{}", name, error.mark.line + 1), "not valid YAML: " + error.msg);
  }
  if (!document->root_.IsMap())
    throw UserError(name + ":1", fmt::format("got {}, expected a mapping 'key: value'", shown(document->root_)));
  return document;
}

YamlMap YamlDocument::root() { return YamlMap(root_, "", 1, this); }

bool YamlMap::has(const std::string& key) const { return node_[key].IsDefined(); }

std::vector<std::string> YamlMap::keys() const {
  std::vector<std::string> names;
  for (const auto& entry : node_) names.push_back(entry.first.IsScalar() ? entry.first.Scalar() : "?");
  return names;
}

int YamlMap::line_of(const std::string& key) const {
  for (const auto& entry : node_)
    if (entry.first.IsScalar() && entry.first.Scalar() == key) return entry.first.Mark().line + 1;
  return line_;
}

std::string YamlMap::path_of(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

void YamlMap::problem(const std::string& key, const std::string& what) {
  document_->problems_.add(line_of(key), path_of(key), what);
}

void YamlMap::expected(const std::string& key, const std::string& what) {
  problem(key, fmt::format("got {}, expected {}", shown(node_[key]), what));
}

YAML::Node YamlMap::find(const std::string& key) {
  asked_.insert(key);
  document_->known_keys_.insert(without_positions(path_of(key)));
  YAML::Node found = std::as_const(node_)[key];
  if (found.IsDefined()) document_->lines_[path_of(key)] = line_of(key);
  return found;
}

template <typename T>
std::optional<T> YamlMap::scalar(const std::string& key, const char* type) {
  YAML::Node node = find(key);
  if (!node.IsDefined()) return std::nullopt;
  T value{};
  if (decode(node, value) && finite(value)) return value;
  expected(key, type);
  return std::nullopt;
}

template <typename T>
std::optional<std::vector<T>> YamlMap::list(const std::string& key, const char* type) {
  YAML::Node node = find(key);
  if (!node.IsDefined()) return std::nullopt;
  std::vector<T> values;
  bool good = node.IsSequence();
  for (std::size_t i = 0; good && i < node.size(); ++i) good = decode(node[i], values.emplace_back());
  if (good) return values;
  expected(key, type);
  return std::nullopt;
}

std::optional<std::int64_t> YamlMap::integer(const std::string& key) {
  return scalar<std::int64_t>(key, "a whole number");
}
std::optional<double> YamlMap::number(const std::string& key) { return scalar<double>(key, "a number"); }
std::optional<bool> YamlMap::boolean(const std::string& key) { return scalar<bool>(key, "true|false"); }
std::optional<std::string> YamlMap::text(const std::string& key) { return scalar<std::string>(key, "text"); }

std::optional<std::vector<std::int64_t>> YamlMap::integers(const std::string& key) {
  return list<std::int64_t>(key, "a list of whole numbers");
}
std::optional<std::vector<std::string>> YamlMap::texts(const std::string& key) {
  return list<std::string>(key, "a list of names");
}

std::optional<YAML::Node> YamlMap::node(const std::string& key) {
  YAML::Node node = find(key);
  if (!node.IsDefined()) return std::nullopt;
  return node;
}

std::optional<std::vector<std::string>> YamlMap::text_or_texts(const std::string& key) {
  YAML::Node node = find(key);
  if (!node.IsDefined()) return std::nullopt;
  if (node.IsScalar()) return std::vector<std::string>{node.Scalar()};
  return list<std::string>(key, "a name or a list of names");
}

std::optional<YamlMap> YamlMap::map(const std::string& key) {
  YAML::Node node = find(key);
  if (!node.IsDefined()) return std::nullopt;
  if (node.IsMap()) return YamlMap(node, path_of(key), line_of(key), document_);
  expected(key, "a mapping");
  return std::nullopt;
}

std::vector<YamlMap> YamlMap::maps(const std::string& key) {
  std::vector<YamlMap> all;
  YAML::Node node = find(key);
  if (!node.IsDefined()) return all;
  if (!node.IsSequence()) {
    expected(key, "a list");
    return all;
  }
  for (std::size_t i = 0; i < node.size(); ++i) {
    std::string path = fmt::format("{}[{}]", path_of(key), i);
    int line = node[i].Mark().line + 1;
    document_->lines_[path] = line;
    if (node[i].IsMap())
      all.push_back(YamlMap(node[i], path, line, document_));
    else
      document_->problems_.add(line, path, fmt::format("got {}, expected a mapping", shown(node[i])));
  }
  return all;
}

std::int64_t YamlMap::require_integer(const std::string& key) {
  std::optional<std::int64_t> value = integer(key);
  if (!has(key)) problem(key, "missing, expected a whole number");
  return value.value_or(0);
}

std::string YamlMap::require_text(const std::string& key) {
  std::optional<std::string> value = text(key);
  if (!has(key)) problem(key, "missing, expected text");
  return value.value_or("");
}

void YamlMap::reject_unknown_keys() {
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    int line = entry.first.Mark().line + 1;
    std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "?";
    if (!seen.insert(key).second) document_->problems_.add(line, path_of(key), "this key is written twice");
    if (asked_.contains(key)) continue;
    std::optional<std::string> hint = nearest_name(key, asked_);
    document_->problems_.add(line, path_of(key), "unknown key" + (hint ? ", did you mean '" + *hint + "'?" : ""));
  }
}

}  // namespace tilewright
