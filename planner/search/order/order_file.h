// An order of operators as a file: written by a search, read for a run.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

struct OrderFile {
  std::string graph;                   // name of the graph it was made for, for people
  std::vector<std::string> operators;  // labels (planner/passes/order/order.h)
};

std::string to_yaml(const OrderFile& order, const std::string& comment);
// UserError with file and line for a file that is no order.
OrderFile read_order(const std::string& path);

}  // namespace tilewright
