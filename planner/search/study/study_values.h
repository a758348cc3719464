// The rows of one parameter of a study file: a list, a range or a logarithmic range.
#pragma once

#include <string>
#include <vector>

#include "sim/base/yaml_reader.h"

namespace tilewright {

// Exactly one of
//   values: [1, 2]               every key takes the same value; or, for K keys, lists of K values
//   range: {from, to, step}      from, from + step, ... up to `to`
//   log_range: {from, to, factor}
// as rows of `keys` values each. Problems are recorded; the rows are then empty.
std::vector<std::vector<std::string>> read_rows(YamlMap& parameter, std::size_t keys);

}  // namespace tilewright
