#include "planner/graph/shape_epilogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "planner/graph/operator_traits.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, 5> kOperandNames{"", "scalar", "channel", "constant", "element"};

bool takes_operand(OpKind kind) { return traits_of(kind).family == OperatorFamily::kBinary; }

// Limits say which values come out, not how long it takes.
bool is_plain(Attributes attributes) {
  attributes.clip_low = attributes.clip_high = {};
  return attributes == Attributes{};
}

std::optional<EpilogueOperand> operand_of(const Graph& graph, const Operator& op, TensorId id) {
  const Tensor& operand = graph.tensor(id);
  const bool constant = is_constant(graph, without_renamings(graph, id));
  if (is_known_scalar(operand)) return EpilogueOperand::kScalar;
  if (operand.shape.size() == 1) return constant ? std::optional(EpilogueOperand::kChannel) : std::nullopt;
  if (operand.shape != graph.tensor(op.output).shape) return {};
  return constant ? EpilogueOperand::kConstant : EpilogueOperand::kElement;
}

TensorId add_operand(Graph& graph, const Operator& op, EpilogueOperand form, const std::string& name) {
  const Tensor result = graph.tensor(op.output);
  Tensor operand{.name = name, .shape = result.shape, .type = result.type, .kind = TensorKind::kConstant};
  if (form == EpilogueOperand::kScalar) operand.shape = {1}, operand.data = std::vector<double>{1};
  if (form == EpilogueOperand::kChannel)
    operand.shape = {result.shape[channel_dimension(op.kind, result.shape.size())]};
  if (form == EpilogueOperand::kElement) operand.kind = TensorKind::kInput;
  return graph.add_tensor(std::move(operand));
}

}  // namespace

std::string to_string(const ShapeEpilogue& epilogue) {
  const std::string text = fmt::format("+{}", name_of(epilogue.kind));
  if (epilogue.operand == EpilogueOperand::kNone) return text;
  return fmt::format("{}={}", text, kOperandNames[static_cast<std::size_t>(epilogue.operand)]);
}

std::string to_string(const std::vector<ShapeEpilogue>& epilogues) {
  std::string text;
  for (const ShapeEpilogue& epilogue : epilogues) text += fmt::format(" {}", to_string(epilogue));
  return text;
}

ShapeEpilogue parse_shape_epilogue(std::string_view word, const std::string& where) {
  const std::size_t end = std::min(word.find('='), word.size());
  const auto kind = word.starts_with('+') ? parse_op_kind(word.substr(1, end - 1)) : std::nullopt;
  if (kind && end == word.size() && is_activation(*kind)) return {*kind, EpilogueOperand::kNone};
  for (std::size_t i = 1; kind && end < word.size() && i < kOperandNames.size(); ++i)
    if (takes_operand(*kind) && word.substr(end + 1) == kOperandNames[i])
      return {*kind, static_cast<EpilogueOperand>(i)};
  throw UserError(where,
                  fmt::format("got '{}', expected what is applied to the result: an activation, e.g. '+Relu', or an "
                              "operator of two inputs and its other operand, e.g. '+Add=channel' "
                              "(scalar|channel|constant|element)",
                              word));
}

std::optional<std::vector<ShapeEpilogue>> epilogues_of(const Graph& graph, const Operator& op) {
  std::vector<ShapeEpilogue> found;
  for (const Epilogue& epilogue : op.epilogues) {
    const auto operand = epilogue.operand ? operand_of(graph, op, *epilogue.operand) : EpilogueOperand::kNone;
    const bool known_kind = epilogue.operand ? takes_operand(epilogue.kind) : is_activation(epilogue.kind);
    if (!operand || !known_kind || !is_plain(epilogue.attributes)) return {};
    found.push_back({epilogue.kind, *operand});
  }
  return found;
}

void add_epilogues(Graph& graph, Operator& op, const std::vector<ShapeEpilogue>& epilogues) {
  for (const ShapeEpilogue& epilogue : epilogues) {
    Epilogue added{epilogue.kind, {}, {}};
    if (epilogue.operand != EpilogueOperand::kNone)
      added.operand = add_operand(graph, op, epilogue.operand, fmt::format("operand{}", op.epilogues.size()));
    op.epilogues.push_back(std::move(added));
  }
}

}  // namespace tilewright
