#include "planner/ir/label.h"

#include <algorithm>
#include <array>

#include "planner/ir/contraction.h"

namespace tilewright {
namespace {

// Letters of a tensor of each rank; of images, and of everything else (sequences, attention heads).
constexpr std::array<std::string_view, 7> kImage{"", "C", "NC", "NTC", "NCHW", "NCDHW", "NCDTHW"};
constexpr std::array<std::string_view, 7> kSequence{"", "C", "NC", "NTC", "NDTC", "NDHTC", "NDHWTC"};

std::string letters(std::size_t rank, bool image) {
  if (rank < kImage.size()) return std::string((image ? kImage : kSequence)[rank]);
  std::string order = "N";
  for (std::size_t d = 1; d + 1 < rank; ++d) order += static_cast<char>('a' + (d - 1) % 26);
  return order + "C";
}

// Tensors of four dimensions that are images: those that windows slide over, and what is made from them or into them
// without a change of dimensions.
std::vector<bool> images_of(const Graph& graph) {
  std::vector<bool> image(graph.tensors().size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Operator& op : graph.operators()) {
      bool any = has_windows(op.kind) || image[op.output];
      if (keeps_dimensions(op.kind))
        for (const TensorId input : op.inputs) any = any || image[input];
      if (!any || (!has_windows(op.kind) && !keeps_dimensions(op.kind))) continue;
      const std::size_t like = has_windows(op.kind) ? 1 : op.inputs.size();  // inputs with the output's dimensions
      changed = changed || !image[op.output];
      image[op.output] = true;
      for (std::size_t input = 0; input < like; ++input) {
        changed = changed || !image[op.inputs[input]];
        image[op.inputs[input]] = true;
      }
    }
  }
  return image;
}

std::string weight_order(const Operator& op, std::size_t rank) {
  if (op.kind == OpKind::kConv) return letters(rank, true);
  const std::string matrices = letters(rank + 1, false).substr(1, rank - 2);  // without N, which columns are
  return matrices + (op.attributes.transpose_b ? "NC" : "CN");
}

const Operator* weight_reader(const Graph& graph, TensorId tensor) {
  for (const OperatorId reader : graph.tensor(tensor).consumers)
    if (is_weight_of(graph.op(reader), tensor)) return &graph.op(reader);
  return nullptr;
}

bool is_neuron_of(const Operator& op, TensorId tensor) {
  for (std::size_t input = 0; input < op.inputs.size(); ++input)
    if (op.inputs[input] == tensor && (input == 0 || is_data(role_of(op.kind, input)))) return true;
  return false;
}

Category source_category(const Graph& graph, TensorId id) {
  const Tensor& tensor = graph.tensor(id);
  const bool constant = tensor.kind == TensorKind::kConstant;
  if (tensor.is_index) return Category::kAuxiliary;
  if (weight_reader(graph, id) != nullptr) return constant ? Category::kConstantWeight : Category::kInputWeight;
  if (!constant) return Category::kInputNeuron;
  const bool neuron = std::any_of(tensor.consumers.begin(), tensor.consumers.end(),
                                  [&](OperatorId reader) { return is_neuron_of(graph.op(reader), id); });
  return neuron ? Category::kConstantNeuron : Category::kAuxiliary;
}

bool made_of_weights(const Graph& graph, TensorId id) {
  const Operator& op = graph.op(*graph.tensor(id).producer);
  return std::all_of(op.inputs.begin(), op.inputs.end(), [&](TensorId input) {
    return graph.tensor(input).kind == TensorKind::kConstant || weight_reader(graph, input) != nullptr;
  });
}

Category category_of(const Graph& graph, TensorId id) {
  const Tensor& tensor = graph.tensor(id);
  const bool read = !tensor.consumers.empty();
  if (!tensor.producer) return read ? source_category(graph, id) : Category::kInstruction;
  if (read) return Category::kHiddenNeuron;
  return made_of_weights(graph, id) ? Category::kOutputWeight : Category::kOutputNeuron;
}

}  // namespace

bool is_weight_of(const Operator& op, TensorId tensor) {
  const bool scales = op.kind == OpKind::kMatMulNBits && op.inputs[2] == tensor;
  return is_contraction(op.kind) && (op.inputs[1] == tensor || scales) && op.inputs[0] != tensor;
}

std::vector<StaticLabel> static_labels(const Graph& graph) {
  const std::vector<bool> image = images_of(graph);
  std::vector<StaticLabel> labels;
  for (TensorId id = 0; id < static_cast<TensorId>(graph.tensors().size()); ++id) {
    const Tensor& tensor = graph.tensor(id);
    const Operator* reader = tensor.producer ? nullptr : weight_reader(graph, id);
    const std::size_t rank = tensor.shape.size();
    labels.push_back({category_of(graph, id), tensor.type,
                      reader != nullptr ? weight_order(*reader, rank) : letters(rank, image[id]), tensor.shape});
  }
  return labels;
}

const DimensionSplit* DynamicLabel::split_of(char dimension) const {
  for (const DimensionSplit& cut : split)
    if (cut.dimension == dimension) return &cut;
  return nullptr;
}

}  // namespace tilewright
