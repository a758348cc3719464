#include "validation/tpuv3.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <regex>

#include "planner/measure/measure.h"
#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "validation/graph_maker.h"

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

class Reader {
 public:
  Reader(std::string where, std::string op, std::string dims)
      : where_(std::move(where)), op_(std::move(op)), dims_(std::move(dims)), named_(named_sizes(dims_)) {}

  Graph graph() const {
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

  Graph gemm() const {
    const auto s = sizes(3);
    GraphMaker make(dims_);
    const TensorId a = make.input("a", {s[0], s[2]}), b = make.constant("b", {s[2], s[1]});
    return make.finish(make.add("gemm", OpKind::kMatMul, {a, b}));
  }

  Graph conv() const {
    if (at("R") != at("S")) fail();
    GraphMaker make(dims_);
    const TensorId x = make.input("x", {at("N"), at("C"), at("H"), at("W")});
    return make.finish(make.conv("conv", x, at("K"), at("R"), at("stride"), at("pad")));
  }

  Graph rows() const {
    const auto s = sizes(2);
    GraphMaker make(dims_);
    const TensorId x = make.input("x", {s[0], s[1]});
    return make.finish(op_ == "softmax" ? make.softmax("softmax", x) : make.layer_norm("layernorm", x));
  }

  Graph attention() const {
    GraphMaker make(dims_);
    const Shape shape{at("heads"), at("seq"), at("head_dim")};
    const TensorId q = make.input("q", shape), k = make.input("k", shape), v = make.input("v", shape);
    return make.finish(make.attention("attention", q, k, v));
  }

  Graph network() const;

  std::string where_, op_, dims_;
  Dims named_;
};

// He et al., "Deep Residual Learning for Image Recognition", 2016; batch normalisation folded into the weights, as for
// inference.
class ResNet {
 public:
  ResNet(int layers, std::int64_t batch) : make_(fmt::format("resnet{}", layers)), layers_(layers), batch_(batch) {}

  Graph graph() {
    TensorId x = relu(convolution(make_.input("image", {batch_, 3, 224, 224}), 64, 7, 2, 3));
    Attributes pool;
    pool.window = {3, 3}, pool.strides = {2, 2}, pool.pads = {1, 1, 1, 1};
    x = make_.add("maxpool", OpKind::kMaxPool, {x}, pool);
    const std::vector<int> depths = layers_ == 18 ? std::vector<int>{2, 2, 2, 2} : std::vector<int>{3, 4, 6, 3};
    for (int stage = 0; stage < 4; ++stage)
      for (int block = 0; block < depths[stage]; ++block)
        x = residual(x, std::int64_t{64} << stage, stage > 0 && block == 0 ? 2 : 1);
    Attributes mean;
    mean.axes = {2, 3}, mean.keepdims = false;
    x = make_.add("mean", OpKind::kReduceMean, {x}, mean);
    return make_.finish(make_.linear("classifier", x, 1000));
  }

 private:
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

// Devlin et al., "BERT", 2018: one encoder block, normalisation behind each residual addition.
Graph bert_block(std::int64_t seq, std::int64_t heads, const std::string& name) {
  const std::int64_t hidden = heads * 64;
  GraphMaker make(name);
  auto to_heads = [&](const std::string& part, TensorId x) {
    Attributes order;
    order.permutation = {1, 0, 2};
    return make.add(part + ".heads", OpKind::kTranspose, {make.reshape(part + ".split", x, {seq, heads, 64})}, order);
  };
  const TensorId x = make.input("x", {seq, hidden});
  const TensorId q = to_heads("q", make.linear("query", x, hidden)), k = to_heads("k", make.linear("key", x, hidden)),
                 v = to_heads("v", make.linear("value", x, hidden));
  Attributes back;
  back.permutation = {1, 0, 2};
  const TensorId context = make.add("context", OpKind::kTranspose, {make.attention("attention", q, k, v)}, back);
  const TensorId attended = make.linear("projection", make.reshape("context.join", context, {seq, hidden}), hidden);
  const TensorId y = make.layer_norm("norm1", make.add("add1", OpKind::kAdd, {x, attended}));
  const TensorId inner = make.add("gelu", OpKind::kGelu, {make.linear("ffn1", y, 4 * hidden)});
  const TensorId z = make.add("add2", OpKind::kAdd, {y, make.linear("ffn2", inner, hidden)});
  return make.finish(make.layer_norm("norm2", z));
}

Graph Reader::network() const {
  if (dims_.starts_with("resnet18")) return ResNet(18, at_or("batch", 1)).graph();
  if (dims_.starts_with("resnet50")) return ResNet(50, at_or("batch", 1)).graph();
  if (dims_.starts_with("bert_base encoder block")) return bert_block(at("seq"), 12, "bert_base");
  if (dims_.starts_with("bert_large encoder block")) return bert_block(at("seq"), 16, "bert_large");
  fail();
}

constexpr double kMeanErrorBand = 11;

// Not what the chip's compiler does, and no part of the mean.
constexpr const char* kInBlocks = "tpuv3 network, rows in blocks";

void judge_mean_error(ValidationReport& report) {
  double sum = 0, rows = 0;
  for (const ValidationRow& row : report.rows)
    if (row.group != kInBlocks) sum += std::fabs(row.error_percent), ++rows;
  const double mean = sum / rows;
  ValidationRow row{.group = "tpuv3 mean error", .name = "all rows", .metric = "mean absolute error, %"};
  row.ours = row.error_percent = mean;
  row.band_percent = kMeanErrorBand;
  row.ok = mean <= kMeanErrorBand;
  report.rows.push_back(row);
}

}  // namespace

Graph tpuv3_workload(const std::string& where, const std::string& op, const std::string& dims) {
  return Reader(where, op, dims).graph();
}

ValidationReport validate_tpuv3(const std::string& csv_path, Session& core) {
  ValidationReport report{.title = "TPU v3 core", .reference = "measured, PyTorchSim artifact baseline_cycle.csv"};
  for (const CsvRow& row : read_csv_table(csv_path))
    report.attempt("tpuv3", [&] {
      const std::string& op = row.text("op");
      const Graph graph = tpuv3_workload(row.where(), op, row.text("dims"));
      const auto compare = [&](const std::string& group, bool image_blocks) {
        const PlanOptions options{.type = DataType::kFp32, .image_blocks = image_blocks};
        const auto cycles = static_cast<double>(measure(core, graph, options).cycles);
        report.add(group, row.text("dims"), "cycles", row.number("measured_cycles"), cycles, std::nullopt);
      };
      // The compiler of the measurements pads tensors to 8 images, from which the granule was taken.
      compare("tpuv3 " + op, false);
      if (row.text("dims").starts_with("resnet")) compare(kInBlocks, true);
    });
  judge_mean_error(report);
  return report;
}

}  // namespace tilewright
