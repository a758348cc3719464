#include "validation/tpuv3_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <regex>

#include "sim/base/error.h"
#include "sim/base/units.h"
#include "validation/graph_maker.h"
#include "validation/row_kernels.h"
#include "validation/tpu_layout.h"

namespace tilewright {
namespace {

using Dims = std::map<std::string, std::int64_t>;

// "name_2048x768" -> {2048, 768}.
std::vector<std::int64_t> sizes_of(const std::string& dims) {
  std::vector<std::int64_t> sizes;
  const std::string tail = dims.substr(dims.rfind('_') + 1);
  static const std::regex number("[0-9]{1,9}");
  for (std::sregex_iterator it(tail.begin(), tail.end(), number), end; it != end; ++it)
    sizes.push_back(std::stoll(it->str()));
  return sizes;
}

// "H=28;R=S=3, batch=1" -> {H: 28, R: 3, S: 3, batch: 1}.
Dims named_sizes(const std::string& dims) {
  Dims sizes;
  static const std::regex assignment("((?:[A-Za-z_]+=)+)([0-9]{1,9})"), name("[A-Za-z_]+");
  for (std::sregex_iterator it(dims.begin(), dims.end(), assignment), end; it != end; ++it) {
    const std::string names = (*it)[1];
    for (std::sregex_iterator n(names.begin(), names.end(), name); n != end; ++n)
      sizes[n->str()] = std::stoll((*it)[2]);
  }
  return sizes;
}

using TpuKernels = std::vector<Graph>;

TpuKernels one(Graph graph) {
  TpuKernels kernels;
  kernels.push_back(std::move(graph));
  return kernels;
}

// Images lie along the sublanes of a layout of 8 x 128 (Cloud TPU performance guide).
std::int64_t padded_images(std::int64_t images) { return round_up(images, kSublanes); }

// The rows' maxima, the sums of exp(x - maximum), and the quotients.
void add_softmax(TpuKernels& kernels, std::int64_t rows, std::int64_t width) {
  kernels.push_back(row_reduction(OpKind::kReduceMax, rows, width));
  kernels.push_back(row_reduction(OpKind::kReduceSum, rows, width));
  kernels.push_back(row_scaling(rows, width));
}

// PyTorch normalises layers as a batch normalisation whose channels are the rows (math_native_layer_norm), of which XLA
// forms both sums in one reading (batchnorm_expander.cc).
std::vector<Graph> batch_norm_of_rows(std::int64_t rows, std::int64_t width) { return norm_kernels(rows, width, 1); }

// Assumed (validation.md says what speaks for it): images and channels are innermost, and what is given and what is
// returned row by row is copied.
void add_layer_norm(TpuKernels& kernels, std::int64_t rows, std::int64_t width) {
  kernels.push_back(array_scaling({rows, width}));
  for (Graph& kernel : batch_norm_of_rows(rows, width)) kernels.push_back(std::move(kernel));
  kernels.push_back(array_scaling({rows, width}));
}

// What is reduced of a product's result is an output of the product's kernel, as a batch normalisation's sums are of
// the convolution in front of it: fusion(...) = (f32[256], f32[256], bf16[128,56,56,256]), kind=kOutput, in what XLA
// prints when a TPU runs out of memory.
Graph with_reduction(GraphMaker& make, TensorId result, OpKind kind) {
  return make.finish({result, make.reduce_rows("reduced", kind, result)});
}

Graph scores_with_maxima(const Shape& operand) {
  GraphMaker make("scores");
  Attributes transposed;
  transposed.transpose_b = true;
  const TensorId scores =
      make.add("scores", OpKind::kMatMul, {make.input("q", operand), make.input("k", operand)}, transposed);
  return with_reduction(make, scores, OpKind::kReduceMax);
}

Graph context(const Shape& probabilities, const Shape& values) {
  GraphMaker make("context");
  return make.finish(make.add("context", OpKind::kMatMul, {make.input("p", probabilities), make.input("v", values)}));
}

// Scores with their rows' maxima, the rows' sums, and the context, whose kernel makes the probabilities of the scores.
void add_attention(TpuKernels& kernels, std::int64_t heads, std::int64_t seq, std::int64_t width) {
  const Shape operand{heads, seq, width};
  kernels.push_back(scores_with_maxima(operand));
  kernels.push_back(row_reduction(OpKind::kReduceSum, heads * seq, seq));
  kernels.push_back(context({heads, seq, seq}, operand));
}

class Reader {
 public:
  Reader(std::string where, std::string op, std::string dims)
      : where_(std::move(where)), op_(std::move(op)), dims_(std::move(dims)), named_(named_sizes(dims_)) {}

  TpuKernels kernels() const {
    if (op_ == "gemm") return gemm();
    if (op_ == "conv") return conv();
    if (op_ == "layernorm" || op_ == "softmax") return rows();
    if (op_ == "attention") return attention();
    if (op_ == "network") return network();
    fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw UserError(where_, fmt::format("got {} '{}', which is no workload this table knows", op_, dims_));
  }
  std::vector<std::int64_t> sizes(std::size_t count) const {
    const auto found = sizes_of(dims_);
    if (found.size() != count) fail();
    return found;
  }
  std::int64_t at(const std::string& name) const {
    const auto found = named_.find(name);
    if (found == named_.end()) fail();
    return found->second;
  }
  std::int64_t at_or(const std::string& name, std::int64_t fallback) const {
    return named_.contains(name) ? at(name) : fallback;
  }

  TpuKernels gemm() const {
    const auto s = sizes(3);
    GraphMaker make(dims_);
    const TensorId a = make.input("a", {s[0], s[2]}), b = make.constant("b", {s[2], s[1]});
    return one(make.finish(make.add("gemm", OpKind::kMatMul, {a, b})));
  }

  TpuKernels conv() const {
    if (at("R") != at("S")) fail();
    GraphMaker make(dims_);
    const TensorId x = make.input("x", {padded_images(at("N")), at("C"), at("H"), at("W")});
    return one(make.finish(make.conv("conv", x, at("K"), at("R"), at("stride"), at("pad"))));
  }

  TpuKernels rows() const {
    const auto s = sizes(2);
    TpuKernels kernels;
    if (op_ == "softmax") {
      add_softmax(kernels, s[0], s[1]);
    } else {
      add_layer_norm(kernels, s[0], s[1]);
    }
    return kernels;
  }

  TpuKernels attention() const {
    TpuKernels kernels;
    add_attention(kernels, at("heads"), at("seq"), at("head_dim"));
    return kernels;
  }

  TpuKernels network() const;

  std::string where_, op_, dims_;
  Dims named_;
};

// He et al., "Deep Residual Learning for Image Recognition", 2016; batch normalisation folded into the weights, as for
// inference. The residual blocks are one program, whose tensors stay on the core where that has room for them.
class ResNet {
 public:
  ResNet(int layers, std::int64_t batch) : make_("blocks"), layers_(layers), batch_(padded_images(batch)) {}

  TpuKernels kernels() {
    TpuKernels kernels;
    GraphMaker first("first");
    const TensorId image = first.input("image", {batch_, 3, 224, 224});
    kernels.push_back(first.finish(first.add("relu", OpKind::kRelu, {first.conv("conv", image, 64, 7, 2, 3)})));
    kernels.push_back(pool({batch_, 64, 56, 56}));
    TensorId x = make_.input("x", {batch_, 64, 56, 56});
    const std::vector<int> depths = layers_ == 18 ? std::vector<int>{2, 2, 2, 2} : std::vector<int>{3, 4, 6, 3};
    for (int stage = 0; stage < 4; ++stage)
      for (int block = 0; block < depths[stage]; ++block)
        x = residual(x, std::int64_t{64} << stage, stage > 0 && block == 0 ? 2 : 1);
    Attributes mean;
    mean.axes = {2, 3}, mean.keepdims = false;
    x = make_.add("mean", OpKind::kReduceMean, {x}, mean);
    kernels.push_back(make_.finish(make_.linear("classifier", x, 1000)));
    return kernels;
  }

 private:
  // Windows of 3 x 3 at every second position, of registers of images and channels: nothing goes across lanes.
  static Graph pool(const Shape& result) {
    GraphMaker make("maxpool");
    Attributes attributes;
    attributes.axes = {0}, attributes.keepdims = false;
    const TensorId x = make.input("x", {4, element_count(result) / kLanes, kLanes});
    return make.finish(make.add("maxpool", OpKind::kReduceMax, {x}, attributes));
  }

  TensorId convolution(TensorId x, std::int64_t out, std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
    const std::string name = fmt::format("conv{}", ++convolutions_);
    const TensorId weights = make_.constant(name + ".weights", {out, make_.shape(x).at(1), kernel, kernel});
    Attributes attributes;
    attributes.strides = {stride, stride};
    attributes.pads = {pad, pad, pad, pad};
    return make_.add(name, OpKind::kConv, {x, weights, make_.constant(name + ".bias", {out})}, attributes);
  }
  TensorId relu(TensorId x) { return make_.add(fmt::format("relu{}", ++relus_), OpKind::kRelu, {x}); }

  TensorId residual(TensorId x, std::int64_t width, std::int64_t stride) {
    const std::int64_t out = layers_ == 18 ? width : 4 * width;
    TensorId y = x;
    if (layers_ == 18) {
      y = relu(convolution(y, width, 3, stride, 1));
      y = convolution(y, width, 3, 1, 1);
    } else {
      y = relu(convolution(y, width, 1, 1, 0));
      y = relu(convolution(y, width, 3, stride, 1));
      y = convolution(y, out, 1, 1, 0);
    }
    if (make_.shape(x) != make_.shape(y)) x = convolution(x, out, 1, stride, 0);
    return relu(make_.add(fmt::format("add{}", relus_), OpKind::kAdd, {x, y}));
  }

  GraphMaker make_;
  int layers_, convolutions_ = 0, relus_ = 0;
  std::int64_t batch_;
};

// [rows, in] times a constant, with its bias, and perhaps GELU.
Graph linear(std::int64_t rows, std::int64_t in, std::int64_t out, bool gelu = false) {
  GraphMaker make("linear");
  TensorId x = make.linear("linear", make.input("x", {rows, in}), out);
  if (gelu) x = make.add("gelu", OpKind::kGelu, {x});
  return make.finish(x);
}

// As above, the shortcut added and the sum normalised: the product's kernel makes the first reduction.
void add_linear_and_norm(TpuKernels& kernels, std::int64_t rows, std::int64_t in, std::int64_t out) {
  GraphMaker make("linear");
  const TensorId x = make.linear("linear", make.input("x", {rows, in}), out);
  const TensorId sum = make.add("add", OpKind::kAdd, {x, make.input("shortcut", {rows, out})});
  kernels.push_back(with_reduction(make, sum, OpKind::kReduceMean));
  std::vector<Graph> norm = batch_norm_of_rows(rows, out);
  std::move(norm.begin() + 1, norm.end(), std::back_inserter(kernels));
}

// Devlin et al., "BERT", 2018: one encoder block, normalisation behind each residual addition. The products read and
// write the heads where they lie.
TpuKernels bert_block(std::int64_t seq, std::int64_t heads) {
  const std::int64_t hidden = heads * 64;
  TpuKernels kernels;
  for (int i = 0; i < 3; ++i) kernels.push_back(linear(seq, hidden, hidden));
  add_attention(kernels, heads, seq, 64);
  add_linear_and_norm(kernels, seq, hidden, hidden);
  kernels.push_back(linear(seq, hidden, 4 * hidden, true));
  add_linear_and_norm(kernels, seq, 4 * hidden, hidden);
  kernels.push_back(array_scaling({seq, hidden}));  // the result, as in add_layer_norm()
  return kernels;
}

TpuKernels Reader::network() const {
  if (dims_.starts_with("resnet18")) return ResNet(18, at_or("batch", 1)).kernels();
  if (dims_.starts_with("resnet50")) return ResNet(50, at_or("batch", 1)).kernels();
  if (dims_.starts_with("bert_base encoder block")) return bert_block(at("seq"), 12);
  if (dims_.starts_with("bert_large encoder block")) return bert_block(at("seq"), 16);
  fail();
}

}  // namespace

std::vector<Graph> tpuv3_kernels(const std::string& where, const std::string& op, const std::string& dims) {
  return Reader(where, op, dims).kernels();
}

}  // namespace tilewright
