// Labels of tensors: what a tensor is (static, of the network alone) and how it is laid out, split and placed on this
// chip (dynamic). docs/labels.md gives the text form and the rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/ir/range.h"
#include "sim/base/units.h"

namespace tilewright {

// From the degrees of the tensor's node (operators that write it / that read it) and the role it has there.
enum class Category : std::uint8_t {
  kInstruction,  // 0 / 0
  kInputNeuron,  // 0 / 1 or more, as are the next four
  kConstantNeuron,
  kInputWeight,
  kConstantWeight,
  kAuxiliary,     // biases, scales, indices
  kOutputNeuron,  // 1 / 0
  kOutputWeight,
  kHiddenNeuron,  // 1 / 1 or more
};
inline constexpr int kCategoryCount = 9;
std::string_view name_of(Category category);  // "INS" "IN" "CN" "IW" "CW" "AUX" "ON" "OW" "HN"

struct StaticLabel {
  Category category = Category::kHiddenNeuron;
  DataType type = DataType::kFp32;
  std::string order;  // one letter per dimension, the slowest first: N number, C channel, H, W, D depth, T time
  Shape sizes;
  bool operator==(const StaticLabel&) const = default;
};

// Where the pieces go: the memory or cluster next to the core that works on them, or one that is named (from 1 on); the
// buffers of that core, between operators of a group.
enum class StoreLevel : std::uint8_t { kMem, kCluster, kCore };
struct Store {
  StoreLevel level = StoreLevel::kMem;
  int number = 0;  // 0: the nearest one
  bool operator==(const Store&) const = default;
};

// Who else needs a piece: nobody, cores of the same cluster, other clusters, all of them through memory.
enum class Swap : std::uint8_t { kNo, kCore, kCluster, kMem };
std::string_view name_of(Swap swap);  // "no" "core" "cluster" "mem"

// By which cores the partial results of a sum that is cut are added up.
enum class Reduction : std::uint8_t {
  kClusters,  // in each cluster one core adds the others' to its own, then one core those of the clusters
  kTree,      // as above by binary trees: half of the cores add the other half's, then half of those
  kRing,      // reduce-scatter: shares of every tile go round the cores, each adds its own, the last one finishes it
  kScatter,   // reduce-scatter: every core adds up its share of every tile from what all others have left
  kNetwork,   // as kScatter, but what lies in several clusters comes added up by the network (NetworkSpec::reduction)
};
inline constexpr int kReductionCount = 5;
std::string_view name_of(Reduction reduction);  // "clusters" "tree" "ring" "scatter" "network"

struct DimensionSplit {
  char dimension = 'N';
  std::vector<Range> ranges;  // consecutive
  bool operator==(const DimensionSplit&) const = default;
};

struct Padding {
  std::int64_t length = 0;
  double value = 0;
  bool operator==(const Padding&) const = default;
};

struct DynamicLabel {
  DataType type = DataType::kFp32;
  std::string order;             // that the chip reads
  Shape granule;                 // per dimension, in that order
  std::vector<Padding> padding;  // behind each dimension
  Bytes size = 0;                // converted and padded
  std::vector<DimensionSplit> split;
  Store store;
  Swap swap = Swap::kNo;
  Reduction reduction = Reduction::kClusters;  // of an output whose sum is cut
  bool operator==(const DynamicLabel&) const = default;

  const DimensionSplit* split_of(char dimension) const;
};

struct TensorLabel {
  StaticLabel fixed;
  DynamicLabel dynamic;
  bool operator==(const TensorLabel&) const = default;
};

// What each tensor is in `graph`, type and sizes as given there; by TensorId.
std::vector<StaticLabel> static_labels(const Graph& graph);
// Whether an operator reads the tensor as weights (operand B of a product, filters of a convolution).
bool is_weight_of(const Operator& op, TensorId tensor);

// static: IN, float32, dim_NC, {1 1024}
std::string to_text(const StaticLabel& label);
// dynamic: float16, dim_NC, tiling {1 512}, padding {0:0 0:0}, size 2048, split C[(0,255),(256,511)], mem, no
// Behind the swap stands a reduction other than by clusters: ..., cluster, core, ring
std::string to_text(const DynamicLabel& label);
// UserError naming what was expected where.
StaticLabel parse_static_label(std::string_view text);
DynamicLabel parse_dynamic_label(std::string_view text);

std::string to_text(const Store& store);
std::optional<Store> parse_store(std::string_view text);

}  // namespace tilewright
