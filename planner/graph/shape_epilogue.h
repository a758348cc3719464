// What is applied to the result of a product or convolution before it is stored, as the name of a shape has it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/graph/graph.h"

namespace tilewright {

enum class EpilogueOperand : std::uint8_t {
  kNone,      // an activation
  kScalar,    // one known value
  kChannel,   // a constant, one value per output channel
  kConstant,  // a constant of the result's shape
  kElement    // what another operator computes, of the result's shape
};

struct ShapeEpilogue {
  OpKind kind = OpKind::kRelu;
  EpilogueOperand operand = EpilogueOperand::kNone;

  bool operator==(const ShapeEpilogue&) const = default;
};

// "+Relu", "+Add=channel", "+Mul=scalar", "+Add=constant", "+Add=element"; UserError naming `where` for another text.
std::string to_string(const ShapeEpilogue& epilogue);
std::string to_string(const std::vector<ShapeEpilogue>& epilogues);  // a space before each
ShapeEpilogue parse_shape_epilogue(std::string_view word, const std::string& where);

// Those of a product or convolution; nothing where one of them has no such name: an operand of another shape, limits or
// levels of its own.
std::optional<std::vector<ShapeEpilogue>> epilogues_of(const Graph& graph, const Operator& op);

// Gives `op`, whose output is there, these epilogues, with operands of its output's type.
void add_epilogues(Graph& graph, Operator& op, const std::vector<ShapeEpilogue>& epilogues);

}  // namespace tilewright
