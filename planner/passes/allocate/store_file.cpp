#include "planner/passes/allocate/store_file.h"

#include <fmt/format.h>

#include <set>

#include "sim/base/yaml_reader.h"

namespace tilewright {
namespace {

StoreChoice::Row read_row(YamlMap& map, const std::string& path, std::set<std::string>& named) {
  StoreChoice::Row row{{}, {}, fmt::format("{}:{}", path, map.line())};
  const auto store = parse_store(map.require_text("store"));
  const bool memory =
      store && (store->level == StoreLevel::kCluster || (store->level == StoreLevel::kMem && store->number == 0));
  if (memory)
    row.store = *store;
  else if (map.has("store"))
    map.expected("store", "mem, cluster or clusterN with N from 1 on");
  const auto tensors = map.text_or_texts("tensors");
  if (!tensors || tensors->empty()) map.problem("tensors", "at least one is needed");
  row.tensors = tensors.value_or(std::vector<std::string>{});
  for (const std::string& name : row.tensors)
    if (!named.insert(name).second) map.problem("tensors", fmt::format("'{}' is named twice", name));
  map.reject_unknown_keys();
  return row;
}

}  // namespace

StoreChoice read_stores(const std::string& path) {
  const auto document = YamlDocument::from_file(path);
  YamlMap root = document->root();
  StoreChoice choice;
  std::set<std::string> named;
  if (!root.has("stores")) root.expected("stores", "a list of stores, each with tensors");
  for (YamlMap& row : root.maps("stores")) choice.rows.push_back(read_row(row, path, named));
  root.reject_unknown_keys();
  document->check();
  return choice;
}

}  // namespace tilewright
