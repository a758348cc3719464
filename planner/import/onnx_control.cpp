// If with a known condition and Loop with a known count: the chosen body, as often as it runs, in the node's place.
#include <fmt/format.h>

#include <algorithm>

#include "planner/import/onnx_body.h"
#include "planner/import/onnx_convert.h"
#include "planner/import/onnx_steps.h"

namespace tilewright {
namespace {

constexpr std::int64_t kMaxRounds = 4096;

const onnx::GraphProto& body_of(const OnnxNode& node, const char* key) {
  const auto* attribute = node.find(key, onnx::AttributeProto::GRAPH);
  if (!attribute) node.fail(fmt::format("has no {}", key));
  return attribute->g();
}

bool is_known(const OnnxBuilder& b, const OnnxNode& node, int index) {
  return b.known(b.input(node, index)).has_value();
}

// Tensor of one element, by name, as a condition.
bool is_true(const OnnxBuilder& b, const OnnxNode& node, const std::string& name) {
  const auto id = b.graph.find_tensor(name);
  const auto values = id ? b.known(*id) : std::nullopt;
  if (!values || values->size() != 1) node.fail("its condition depends on live data, which is not supported");
  return values->front() != 0;
}

void add_initializers(OnnxBuilder& b, const onnx::GraphProto& body) {
  for (const auto& initializer : body.initializer()) {
    Tensor tensor = onnx_constant(initializer.name(), initializer, b.kept_values);
    if (std::count(tensor.shape.begin(), tensor.shape.end(), 0) > 0)
      b.empty[tensor.name] = std::move(tensor);
    else
      b.graph.add_tensor(std::move(tensor));
  }
}

// Converts a body whose inputs stand in the graph; names of its outputs.
std::vector<std::string> run_body(OnnxBuilder& b, const OnnxNode& node, const onnx::GraphProto& body) {
  add_initializers(b, body);
  std::vector<std::string> outputs;
  for (const auto& output : body.output()) outputs.push_back(output.name());
  convert_nodes(b, ordered_nodes(body, outputs, node.opset));
  return outputs;
}

void give_output(OnnxBuilder& b, const OnnxNode& node, const std::string& name, int index) {
  if (!b.has_output(node, index)) return;
  if (const auto none = b.empty.find(name); none != b.empty.end())
    return b.add_known(node, none->second.shape, {}, element_of(none->second), index);
  const auto id = b.graph.find_tensor(name);
  if (!id) node.fail(fmt::format("no node of its body computes '{}'", name));
  OnnxSteps(b, node).finish(*id, index);
}

void if_else(OnnxBuilder& b, const OnnxNode& node) {
  if (!is_known(b, node, 0)) node.fail("its condition depends on live data, which is not supported");
  const bool chosen = b.scalar(node, 0) != 0;
  const onnx::GraphProto body = renamed_body(body_of(node, chosen ? "then_branch" : "else_branch"), node.name + "/");
  const std::vector<std::string> outputs = run_body(b, node, body);
  for (std::size_t i = 0; i < outputs.size(); ++i) give_output(b, node, outputs[i], static_cast<int>(i));
}

class LoopRounds {
 public:
  LoopRounds(OnnxBuilder& b, const OnnxNode& node) : b_(b), node_(node), body_(body_of(node, "body")) {
    for (int i = 2; i < node.proto.input_size(); ++i) carried_.push_back(node.proto.input(i));
    if (body_.input_size() != static_cast<int>(carried_.size()) + 2 ||
        body_.output_size() < static_cast<int>(carried_.size()) + 1)
      node.fail(fmt::format("{} carried values for a body of {} inputs and {} outputs", carried_.size(),
                            body_.input_size(), body_.output_size()));
    scans_.resize(static_cast<std::size_t>(body_.output_size()) - 1 - carried_.size());
  }

  void run() {
    const std::int64_t rounds = b_.has(node_, 0) ? b_.integers(node_, 0).at(0) : kMaxRounds + 1;
    bool goes_on = !node_.has_input(1) || is_true(b_, node_, node_.proto.input(1));
    for (std::int64_t round = 0; goes_on && round < rounds; ++round) {
      if (round == kMaxRounds) node_.fail(fmt::format("runs more than {} times", kMaxRounds));
      goes_on = run_round(round);
    }
    for (std::size_t i = 0; i < carried_.size(); ++i) give_output(b_, node_, carried_[i], static_cast<int>(i));
    for (std::size_t i = 0; i < scans_.size(); ++i) give_scan(scans_[i], static_cast<int>(carried_.size() + i));
  }

 private:
  // Whether another one follows.
  bool run_round(std::int64_t round) {
    const onnx::GraphProto body = renamed_body(body_, fmt::format("{}/round{}/", node_.name, round));
    const auto known = [&](const std::string& name, double value, ValueType type) {
      const OnnxElement element = index_element(type);
      Tensor tensor{.name = name, .type = element.type, .kind = TensorKind::kConstant, .is_index = true};
      tensor.data = {value};
      tensor.value_type = type;
      b_.graph.add_tensor(std::move(tensor));
    };
    known(body.input(0).name(), static_cast<double>(round), ValueType::kInt64);
    known(body.input(1).name(), 1, ValueType::kBool);
    for (std::size_t i = 0; i < carried_.size(); ++i) pass_on(carried_[i], body.input(static_cast<int>(i) + 2).name());
    const std::vector<std::string> outputs = run_body(b_, node_, body);
    for (std::size_t i = 0; i < carried_.size(); ++i) carried_[i] = outputs[1 + i];
    for (std::size_t i = 0; i < scans_.size(); ++i) scans_[i].push_back(outputs[1 + carried_.size() + i]);
    return is_true(b_, node_, outputs[0]);
  }

  // The tensor under another name too.
  void pass_on(const std::string& from, const std::string& to) {
    if (const auto none = b_.empty.find(from); none != b_.empty.end()) {
      b_.empty[to] = none->second;
      return;
    }
    const auto id = b_.graph.find_tensor(from);
    if (!id) node_.fail(fmt::format("input '{}' is not defined", from));
    onnx::NodeProto proto;
    proto.set_op_type("Identity");
    proto.add_output(to);
    b_.emit({proto, node_.name + "/" + to, node_.opset}, {.kind = OpKind::kIdentity, .inputs = {*id}});
  }

  // What the rounds gave, one behind the other along a new first dimension.
  void give_scan(const std::vector<std::string>& names, int index) {
    if (names.empty()) node_.fail("a scan output of no rounds has no elements");
    OnnxSteps s(b_, node_);
    std::vector<TensorId> parts;
    for (const std::string& name : names) {
      const auto id = b_.graph.find_tensor(name);
      if (!id) node_.fail(fmt::format("no node of its body computes '{}'", name));
      Shape shape = s.shape(*id);
      shape.insert(shape.begin(), 1);
      parts.push_back(s.reshape(*id, shape));
    }
    s.finish(s.concat(std::move(parts), 0), index);
  }

  OnnxBuilder& b_;
  const OnnxNode& node_;
  const onnx::GraphProto& body_;
  std::vector<std::string> carried_;
  std::vector<std::vector<std::string>> scans_;
};

void loop(OnnxBuilder& b, const OnnxNode& node) {
  if (b.has(node, 0) && !is_known(b, node, 0)) node.fail("its count depends on live data, which is not supported");
  LoopRounds(b, node).run();
}

constexpr OnnxConversion kControl[] = {{"If", if_else}, {"Loop", loop}};

}  // namespace

std::span<const OnnxConversion> onnx_control_operators() { return kControl; }

}  // namespace tilewright
