// The data types that a workload file may name.
#pragma once

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

}  // namespace tilewright
