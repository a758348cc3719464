// Rows of elements as the bytes of files: little endian, as this machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/graph/value_type.h"

namespace tilewright {

std::size_t bytes_of(ValueType type);
// Whole numbers of 2^53 and more, which doubles do not hold one by one, come as infinities.
std::vector<double> elements_of(std::string_view bytes, ValueType type);
std::string bytes_of(const std::vector<double>& elements, ValueType type);

}  // namespace tilewright
