// Typed, checked access to the attributes of one ONNX node.
#pragma once

#include <optional>
#include <string>
#include <vector>

// ONNX's protobuf classes as Debian builds them.
#define ONNX_NAMESPACE onnx
#define ONNX_ML 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop

namespace tilewright {

struct OnnxNode {
  const onnx::NodeProto& proto;
  std::string name;        // the node's, or "<type>_<position in the file>"
  std::int64_t opset = 0;  // of the default domain

  [[noreturn]] void fail(const std::string& what) const;
  // The attribute, or null when absent; UserError when it has another type.
  const onnx::AttributeProto* find(const std::string& key, onnx::AttributeProto::AttributeType type) const;

  std::int64_t integer(const std::string& key, std::int64_t fallback) const;
  double number(const std::string& key, double fallback) const;
  std::string text(const std::string& key, const std::string& fallback) const;
  // Nothing when the attribute is absent.
  std::optional<std::vector<std::int64_t>> integers(const std::string& key) const;

  // An optional input is absent when its name is empty.
  bool has_input(int index) const { return index < proto.input_size() && !proto.input(index).empty(); }
};

}  // namespace tilewright
