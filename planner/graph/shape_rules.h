// Checks that the shape rules of all operators share, and the rules of the families that have a file of their own.
#pragma once

#include <string>

#include "planner/graph/graph.h"

namespace tilewright::shape_rules {

[[noreturn]] void fail(const Operator& op, const std::string& what);
// Shape of an input; UserError when the operator has too few.
const Shape& input(const Graph& graph, const Operator& op, std::size_t index);
void expect_rank(const Operator& op, const Shape& shape, std::size_t rank, const char* what);
void expect_equal(const Operator& op, std::int64_t got, std::int64_t expected, const char* what);
std::size_t checked_axis(const Operator& op, std::int64_t axis, std::size_t rank);

Shape conv_shape(const Graph& graph, const Operator& op);
Shape pool_shape(const Graph& graph, const Operator& op);

Shape reduced_shape(const Graph& graph, const Operator& op);
Shape transposed_shape(const Graph& graph, const Operator& op);
Shape reshaped_shape(const Graph& graph, const Operator& op);
Shape concatenated_shape(const Graph& graph, const Operator& op);
Shape sliced_shape(const Graph& graph, const Operator& op);
Shape gathered_shape(const Graph& graph, const Operator& op);

}  // namespace tilewright::shape_rules
