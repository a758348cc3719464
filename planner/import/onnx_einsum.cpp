// Einsum: operands are joined two at a time by matrix products; what no later operand and no output names is summed.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "planner/import/onnx_steps.h"

namespace tilewright {
namespace {

// A tensor with a letter for each dimension. The dimensions of an ellipsis are digits, counted from the last one.
struct Lettered {
  TensorId id = -1;
  std::string letters;
};

class Einsum {
 public:
  Einsum(OnnxBuilder& b, const OnnxNode& node) : node_(node), s_(b, node) {
    std::string equation = node.text("equation", "");
    std::erase(equation, ' ');
    const std::size_t arrow = equation.find("->");
    std::string left = equation.substr(0, arrow) + ",";
    for (int i = 0; i < node.proto.input_size(); ++i) {
      const std::size_t comma = left.find(',');
      if (comma == std::string::npos) node.fail(fmt::format("'{}' has no term for input {}", equation, i));
      operands_.push_back(lettered(b.input(node, i), left.substr(0, comma)));
      left.erase(0, comma + 1);
    }
    if (!left.empty()) node.fail(fmt::format("'{}' has terms for more inputs", equation));
    result_ = arrow == std::string::npos ? implicit_result() : with_digits(equation.substr(arrow + 2), ellipsis_);
  }

  TensorId run() {
    while (operands_.size() > 1) {
      const Lettered a = operands_[0], b = operands_[1];
      operands_.erase(operands_.begin(), operands_.begin() + 2);
      operands_.insert(operands_.begin(), joined(a, b));
    }
    const Lettered last = summed(operands_[0], result_);
    if (last.letters.size() != result_.size())
      node_.fail(fmt::format("the result '{}' names what no input has", result_));
    return ordered(last, result_);
  }

 private:
  std::string with_digits(std::string term, std::size_t count) const {
    const std::size_t dots = term.find("...");
    if (dots == std::string::npos) return term;
    std::string digits;
    for (std::size_t i = count; i-- > 0;) digits += static_cast<char>('0' + i);
    return term.replace(dots, 3, digits);
  }

  Lettered lettered(TensorId id, const std::string& term) {
    const std::size_t rank = s_.shape(id).size(), dots = term.find("...");
    if (dots != std::string::npos && rank + 3 >= term.size()) ellipsis_ = std::max(ellipsis_, rank + 3 - term.size());
    const std::string letters =
        with_digits(term, dots == std::string::npos ? 0 : rank + 3 - std::min(term.size(), rank + 3));
    if (letters.size() != rank) node_.fail(fmt::format("term '{}' for shape {}", term, to_string(s_.shape(id))));
    for (std::size_t d = 0; d < rank; ++d) {
      if (letters.find(letters[d]) != d) node_.fail(fmt::format("the diagonal '{}' is not supported", term));
      std::int64_t& size = sizes_.emplace(letters[d], s_.shape(id)[d]).first->second;
      if (size != s_.shape(id)[d]) node_.fail(fmt::format("'{}' is {} and {}", letters[d], size, s_.shape(id)[d]));
    }
    return {id, letters};
  }

  // Without "->": the ellipsis, then letters that occur once, in alphabetical order.
  std::string implicit_result() const {
    std::string letters = with_digits("...", ellipsis_), all;
    for (const Lettered& operand : operands_) all += operand.letters;
    for (const auto& [letter, size] : sizes_)
      if (std::isalpha(static_cast<unsigned char>(letter)) && std::count(all.begin(), all.end(), letter) == 1)
        letters += letter;
    return letters;
  }

  bool needed_later(char letter) const {
    return result_.find(letter) != std::string::npos ||
           std::any_of(operands_.begin(), operands_.end(),
                       [&](const Lettered& operand) { return operand.letters.find(letter) != std::string::npos; });
  }

  // Summed over every letter that is not in `kept`.
  Lettered summed(const Lettered& x, const std::string& kept) {
    std::vector<std::int64_t> axes;
    Lettered result = x;
    std::erase_if(result.letters, [&](char letter) { return kept.find(letter) == std::string::npos; });
    for (std::size_t d = 0; d < x.letters.size(); ++d)
      if (kept.find(x.letters[d]) == std::string::npos) axes.push_back(static_cast<std::int64_t>(d));
    if (!axes.empty()) result.id = s_.reduce(OpKind::kReduceSum, x.id, axes, false);
    return result;
  }

  TensorId ordered(const Lettered& x, const std::string& letters) {
    std::vector<std::int64_t> permutation;
    for (const char letter : letters) permutation.push_back(static_cast<std::int64_t>(x.letters.find(letter)));
    return s_.transpose(x.id, permutation);
  }

  Shape sizes_of(const std::string& letters) const {
    Shape shape;
    for (const char letter : letters) shape.push_back(sizes_.at(letter));
    return shape;
  }

  // As matrices: letters of both operands that are needed later are a batch, others of both are summed.
  Lettered joined(Lettered a, Lettered b) {
    std::string batch, rows, columns, inner, of_a, of_b;
    for (const char letter : a.letters) {
      const bool shared = b.letters.find(letter) != std::string::npos, later = needed_later(letter);
      if (shared || later) of_a += letter, (shared ? later ? batch : inner : rows) += letter;
    }
    for (const char letter : b.letters) {
      const bool shared = a.letters.find(letter) != std::string::npos;
      if (shared || needed_later(letter)) of_b += letter;
      if (!shared && needed_later(letter)) columns += letter;
    }
    a = summed(a, of_a);
    b = summed(b, of_b);
    const std::int64_t n = element_count(sizes_of(batch)), m = element_count(sizes_of(rows));
    const std::int64_t k = element_count(sizes_of(inner)), p = element_count(sizes_of(columns));
    const auto matrix = [&](std::int64_t first, std::int64_t second) {
      return batch.empty() ? Shape{first, second} : Shape{n, first, second};
    };
    const TensorId left = s_.reshape(ordered(a, batch + rows + inner), matrix(m, k));
    const TensorId right = s_.reshape(ordered(b, batch + inner + columns), matrix(k, p));
    const TensorId product = inner.empty() ? s_.mul(left, right) : s_.matmul(left, right);
    return {s_.reshape(product, sizes_of(batch + rows + columns)), batch + rows + columns};
  }

  const OnnxNode& node_;
  OnnxSteps s_;
  std::vector<Lettered> operands_;
  std::map<char, std::int64_t> sizes_;
  std::string result_;
  std::size_t ellipsis_ = 0;
};

void einsum(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  s.finish(Einsum(b, node).run());
}

constexpr OnnxConversion kEinsum[] = {{"Einsum", einsum}};

}  // namespace

std::span<const OnnxConversion> onnx_einsum_operators() { return kEinsum; }

}  // namespace tilewright
