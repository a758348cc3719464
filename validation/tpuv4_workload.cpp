#include "validation/tpuv4_workload.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <regex>

#include "sim/base/error.h"
#include "validation/graph_maker.h"
#include "validation/row_kernels.h"
#include "validation/tpu_layout.h"

namespace tilewright {
namespace {

constexpr int kTensorCores = 2;

TpuKernel kernel_of(Graph graph) { return {std::move(graph), {.type = DataType::kFp16}}; }

TpuKernel one_operator(OpKind kind, const std::vector<Shape>& inputs, Attributes attributes = {}) {
  GraphMaker make(std::string(name_of(kind)));
  std::vector<TensorId> tensors;
  for (const Shape& shape : inputs) tensors.push_back(make.input(fmt::format("x{}", tensors.size()), shape));
  return kernel_of(make.finish(make.add("kernel", kind, tensors, std::move(attributes))));
}

TpuKernel scaling(const Shape& shape) { return kernel_of(array_scaling(shape)); }

TpuKernel product(std::int64_t m, std::int64_t n, std::int64_t k) {
  GraphMaker make("matmul");
  const TensorId a = make.input("a", {m, k}), b = make.input("b", {k, n});
  return kernel_of(make.finish(make.add("kernel", OpKind::kMatMul, {a, b})));
}

TpuKernel windowed_product(const XlaWindows& w) {
  TpuKernel kernel = product(w.m * w.count_m, w.n * w.count_n, w.k * w.count_k);
  kernel.options.choices = {xla_choice(w)};
  return kernel;
}

// Fused arithmetic of one operand by its costliest operation: the others of the same kernel are a pass or two beside
// the conversions to and from fp16.
const std::map<std::string, OpKind>& activations() {
  static const std::map<std::string, OpKind> kKinds{{"relu", OpKind::kRelu},        {"sigmoid", OpKind::kReciprocal},
                                                    {"tanh", OpKind::kTanh},        {"leaky_relu", OpKind::kRelu},
                                                    {"elu", OpKind::kExp},          {"selu", OpKind::kExp},
                                                    {"binary_step", OpKind::kRelu}, {"parametric_relu", OpKind::kRelu}};
  return kKinds;
}

const std::map<std::string, OpKind>& binaries() {
  static const std::map<std::string, OpKind> kKinds{
      {"add", OpKind::kAdd}, {"sub", OpKind::kSub}, {"mul", OpKind::kMul}, {"div", OpKind::kDiv}};
  return kKinds;
}

std::vector<TpuKernel> only(TpuKernel kernel) {
  std::vector<TpuKernel> kernels;
  kernels.push_back(std::move(kernel));
  return kernels;
}

// XLA keeps kernels of one element-wise operation on one core (validation.md says what speaks for it).
std::vector<TpuKernel> on_one_core(TpuKernel kernel) {
  kernel.options.cores = 1;
  return only(std::move(kernel));
}

std::vector<TpuKernel> norm_of_rows(const Shape& shape, int reductions) {
  std::vector<TpuKernel> kernels;
  for (Graph& graph : norm_kernels(element_count(shape) / shape.back(), shape.back(), reductions))
    kernels.push_back(kernel_of(std::move(graph)));
  return kernels;
}

// Windows of 2 x 2 with stride 2; padded as the result is.
std::vector<TpuKernel> pool_kernels(OpKind kind, const Shape& shape, bool copied) {
  const Shape result = padded_layout({shape[0], shape[1], shape[2] / 2, shape[3] / 2});
  const Shape input{result[0], result[1], 2 * result[2], 2 * result[3]};
  Attributes attributes;
  attributes.window = {2, 2}, attributes.strides = {2, 2}, attributes.pads = {0, 0, 0, 0};
  std::vector<TpuKernel> kernels;
  if (copied) kernels.push_back(scaling(padded_layout(shape)));
  kernels.push_back(one_operator(kind, {input}, std::move(attributes)));
  if (kind == OpKind::kAveragePool) kernels.push_back(scaling(result));
  return kernels;
}

// One factor per channel; mean, variance and shift are constants that XLA folds.
TpuKernel batch_norm(const Shape& shape) { return one_operator(OpKind::kMul, {shape, {1, shape[1], 1, 1}}); }

std::vector<TpuKernel> kernels_of(const std::string& op, const Shape& shape, bool copied) {
  const std::size_t rank = shape.size();
  if (binaries().contains(op))
    return on_one_core(one_operator(binaries().at(op), {padded_layout(shape), padded_layout(shape)}));
  if (activations().contains(op)) return on_one_core(one_operator(activations().at(op), {padded_layout(shape)}));
  if (op == "linear") return on_one_core(scaling(padded_layout(shape)));
  if (op == "matmul" && rank == 3)
    return only(product(round_up(shape[0], kSublanes), round_up(shape[1], kLanes), round_up(shape[2], kLanes)));
  if (op == "layernorm" && rank == 3) return norm_of_rows(shape, 2);
  if (op == "rmsnorm" && rank == 3) return norm_of_rows(shape, 1);
  if (op == "batchnorm_infer" && rank == 4) return only(batch_norm(padded_layout(shape)));
  if (op == "maxpool" && rank == 4) return pool_kernels(OpKind::kMaxPool, shape, copied);
  if (op == "avgpool" && rank == 4) return pool_kernels(OpKind::kAveragePool, shape, copied);
  return {};
}

std::vector<std::int64_t> pair_of(const std::string& where, const std::string& text) {
  const Shape pair = dims_of(where, text);
  if (pair.size() != 2)
    throw UserError(where, fmt::format("xla_window: got '{}', expected two numbers of tiles", text));
  return pair;
}

std::map<std::string, std::string> assignments(const std::string& text) {
  std::map<std::string, std::string> values;
  static const std::regex pattern("([a-z]+)=([A-Za-z0-9]+)");
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) values[(*it)[1]] = (*it)[2];
  return values;
}

}  // namespace

Shape dims_of(const std::string& where, const std::string& dims) {
  static const std::regex whole("[1-9][0-9]{0,8}(x[1-9][0-9]{0,8})*"), number("[0-9]+");
  if (!std::regex_match(dims, whole))
    throw UserError(where, fmt::format("got '{}', expected dimensions as 128x64", dims));
  Shape shape;
  for (std::sregex_iterator it(dims.begin(), dims.end(), number), end; it != end; ++it)
    shape.push_back(std::stoll(it->str()));
  return shape;
}

XlaWindows xla_windows(const std::string& where, const std::string& text) {
  std::map<std::string, std::string> values = assignments(text);
  const Shape grid = dims_of(where, values["iter"]);
  const std::string& layout = values["layout"];
  static const std::regex letters("[RT]{3}");
  const bool split_known = values["split"] == "0" || values["split"] == "1";
  if (grid.size() != 3 || !split_known || !std::regex_match(layout, letters))
    throw UserError(where, fmt::format("xla_window: got '{}', expected a loop as iter=8x1x1;out=128x1;kernel=128x1;"
                                       "input=128x8;split=0;layout=RRR",
                                       text));
  // Elements along rows and columns of a window that is `tiles` of its layout.
  const auto elements = [&](const std::string& name, char order) {
    const auto tiles = pair_of(where, values[name]);
    const std::int64_t outer = tiles[0] * kSublanes, inner = tiles[1] * kLanes;
    return order == 'R' ? std::pair(outer, inner) : std::pair(inner, outer);
  };
  const auto a = elements("input", layout[0]), b = elements("kernel", layout[1]), c = elements("out", layout[2]);
  return {c.first, c.second, std::min(a.second, b.first), grid[1], grid[0], grid[2], values["split"] == "1"};
}

OperatorChoice xla_choice(const XlaWindows& w) {
  OperatorChoice choice;
  choice.split.reason = "XLA's windows";
  const std::int64_t shared = w.split_m ? w.count_m : w.count_n, window = w.split_m ? w.m : w.n;
  const std::int64_t first = ceil_div<std::int64_t>(shared, kTensorCores) * window;
  const Range m{0, w.m * w.count_m}, n{0, w.n * w.count_n};
  for (int core = 0; core < kTensorCores; ++core) {
    const Range part = core == 0 ? Range{0, first} : Range{first, shared * window};
    if (part.size() > 0) choice.split.items.push_back({core, w.split_m ? BoxRange{part, n} : BoxRange{m, part}, {}});
  }
  Tiling tiling;
  tiling.partition_m = tiling.tile_m = w.m;
  tiling.partition_n = tiling.tile_n = w.n;
  tiling.partition_k = w.k;
  tiling.outer_rowmajor = false;
  tiling.need_splitk = tiling.use_acc_buffer = w.count_k > 1;
  tiling.reason = "XLA's windows";
  choice.tilings.assign(choice.split.items.size(), tiling);
  return choice;
}

Shape padded_layout(const Shape& shape) {
  if (shape.size() == 1) return {round_up(shape[0], kSublanes * kLanes)};
  Shape best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t sublane = 0; sublane < shape.size(); ++sublane)
    for (std::size_t lane = 0; lane < shape.size(); ++lane) {
      if (lane == sublane) continue;
      Shape padded = shape;
      padded[sublane] = round_up(shape[sublane], kSublanes);
      padded[lane] = round_up(shape[lane], kLanes);
      if (element_count(padded) < least) least = element_count(padded), best = padded;
    }
  return best;
}

std::vector<TpuKernel> tpuv4_kernels(const std::string& where, const std::string& op, const std::string& dims,
                                     const std::string& windows, bool copied) {
  if (op == "matmul" && !windows.empty()) return only(windowed_product(xla_windows(where, windows)));
  std::vector<TpuKernel> kernels = kernels_of(op, dims_of(where, dims), copied);
  if (kernels.empty())
    throw UserError(where, fmt::format("got {} of '{}', which is no operation this table knows", op, dims));
  return kernels;
}

}  // namespace tilewright
