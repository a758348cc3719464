// Element types of single operators in place of the network's, and the conversions that this takes.
#pragma once

#include <string>
#include <vector>

#include "planner/graph/graph.h"

namespace tilewright {

// Of operators by their names, in which a `*` stands for any text; of two rows about one operator the first counts.
struct OperatorTypes {
  struct Row {
    std::vector<std::string> operators;
    DataType type = DataType::kFp32;
    std::string where;  // file:line, for messages
  };
  std::vector<Row> rows;

  // Nothing: the network's type.
  const Row* row_of(const Operator& op) const;
};

// UserError("file:line", ...) for what is no such list.
OperatorTypes read_operator_types(const std::string& path);

// The graph with these types in a network of type `network`: an operator reads floats in its type and stores its result
// in it. What only moves elements has the type of what it moves unless a row is about it; inputs and constants that
// operators of one type read are stored in that, all others converted by a Cast in front of who reads another type.
// UserError for a row without operators in the graph, and for quantised networks.
Graph with_operator_types(const Graph& graph, const OperatorTypes& types, DataType network);

}  // namespace tilewright
