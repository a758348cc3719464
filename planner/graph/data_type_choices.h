// The data types that a workload file may name, and those that a network can be computed in.
#pragma once

#include <string>
#include <vector>

#include "sim/base/data_type.h"
#include "sim/base/yaml_reader.h"

namespace tilewright {

// Every type under its name_of().
inline const Choices<DataType>& data_type_choices() {
  static const Choices<DataType> choices = [] {
    Choices<DataType> all;
    for (int i = 0; i < kDataTypeCount; ++i)
      all.emplace_back(name_of(static_cast<DataType>(i)), static_cast<DataType>(i));
    return all;
  }();
  return choices;
}

// What `--type` takes: all of them but int32, which sums are in.
inline const Choices<DataType>& network_type_choices() {
  static const Choices<DataType> choices = [] {
    Choices<DataType> all = data_type_choices();
    std::erase_if(all, [](const auto& choice) { return choice.second == DataType::kInt32; });
    return all;
  }();
  return choices;
}

inline std::vector<std::string> names_of(const Choices<DataType>& choices) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.emplace_back(choice.first);
  return names;
}
inline std::vector<std::string> network_type_names() { return names_of(network_type_choices()); }

}  // namespace tilewright
