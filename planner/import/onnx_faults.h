// What is wrong with the nodes of a model, all in one message.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "planner/import/onnx_node.h"

namespace tilewright {

class OnnxFaults {
 public:
  // The node and all that follow from it cannot be converted.
  void add(const OnnxNode& node, const std::string& message);
  // Whether the node reads what a faulty one should have computed. Its own outputs are then faulty, too.
  bool follows(const OnnxNode& node);
  // UserError when there are any.
  void check() const;

 private:
  void mark_outputs(const OnnxNode& node);

  struct Key {
    std::string type, message;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, std::vector<std::string>> nodes_;
  std::string first_;
  int count_ = 0;
  std::set<std::string> outputs_;
};

}  // namespace tilewright
