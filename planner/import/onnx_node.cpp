#include "planner/import/onnx_node.h"

#include <fmt/format.h>

#include "sim/base/error.h"

namespace tilewright {

using onnx::AttributeProto;

void OnnxNode::fail(const std::string& what) const {
  throw UserError(fmt::format("node '{}' ({})", name, proto.op_type()), what);
}

const AttributeProto* OnnxNode::find(const std::string& key, AttributeProto::AttributeType type) const {
  for (const AttributeProto& attribute : proto.attribute()) {
    if (attribute.name() != key) continue;
    if (attribute.type() != type)
      fail(fmt::format("attribute '{}' has type {}, expected {}", key,
                       AttributeProto::AttributeType_Name(attribute.type()), AttributeProto::AttributeType_Name(type)));
    return &attribute;
  }
  return nullptr;
}

std::int64_t OnnxNode::integer(const std::string& key, std::int64_t fallback) const {
  const AttributeProto* attribute = find(key, AttributeProto::INT);
  return attribute ? attribute->i() : fallback;
}

double OnnxNode::number(const std::string& key, double fallback) const {
  const AttributeProto* attribute = find(key, AttributeProto::FLOAT);
  return attribute ? static_cast<double>(attribute->f()) : fallback;
}

std::string OnnxNode::text(const std::string& key, const std::string& fallback) const {
  const AttributeProto* attribute = find(key, AttributeProto::STRING);
  return attribute ? attribute->s() : fallback;
}

std::optional<std::vector<std::int64_t>> OnnxNode::integers(const std::string& key) const {
  const AttributeProto* attribute = find(key, AttributeProto::INTS);
  if (!attribute) return std::nullopt;
  return std::vector<std::int64_t>(attribute->ints().begin(), attribute->ints().end());
}

}  // namespace tilewright
