#include "planner/view/view_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "planner/graph/data_type_choices.h"
#include "sim/base/error.h"
#include "sim/base/yaml_reader.h"

namespace tilewright {
namespace {

const Choices<ViewOp>& op_choices() {
  static const Choices<ViewOp> choices = [] {
    Choices<ViewOp> all;
    for (int i = 0; i < kViewOpCount; ++i) all.emplace_back(name_of(static_cast<ViewOp>(i)), static_cast<ViewOp>(i));
    return all;
  }();
  return choices;
}

// Whether zeros are written.
const Choices<bool>& padding_choices() {
  static const Choices<bool> choices = {{"zeros", true}, {"kept", false}};
  return choices;
}

class ViewReader {
 public:
  explicit ViewReader(YamlDocument& document) : document_(document) {}

  std::vector<TracedCopy> read() {
    YamlMap root = document_.root();
    std::vector<TracedCopy> copies;
    for (YamlMap& map : root.maps("copies")) copies.push_back(read_copy(map));
    if (copies.empty()) root.problem("copies", "no copies");
    root.reject_unknown_keys();
    document_.check();
    return copies;
  }

 private:
  // Runs `step`; what it throws becomes a problem of `key`, and nothing further is read of this file.
  template <typename Step>
  auto checked(YamlMap& map, const std::string& key, Step step) {
    try {
      return step();
    } catch (const UserError& error) {
      map.problem(key, error.what());
      document_.check();
      throw;
    }
  }

  TracedCopy read_copy(YamlMap& map) {
    TracedCopy copy;
    copy.name = map.require_text("name");
    if (!names_.insert(copy.name).second) map.problem("name", fmt::format("'{}' is taken", copy.name));
    copy.type = map.choice("type", data_type_choices()).value_or(DataType::kBf16);
    auto input = map.map("input"), output = map.map("output");
    if (!input) map.problem("input", "missing, expected a mapping");
    if (!output) map.problem("output", "missing, expected a mapping");
    map.reject_unknown_keys();
    document_.check();
    copy.input = read_side(*input, nullptr);
    const auto zero_padding = output->choice("padding", padding_choices());
    copy.output = read_side(*output, &copy.input.view.shape);
    const std::int64_t elements = element_count(copy.output.view.shape);
    copy.zero_padding = zero_padding.value_or(elements == element_count(copy.output.layout.shape()));
    if (copy.zero_padding && elements == 0)
      output->problem("padding", "the copy is empty and writes no padding either");
    if (copy.input.view.shape != copy.output.view.shape)
      map.problem("output", fmt::format("its view is {}, the input's {}", to_string(copy.output.view.shape),
                                        to_string(copy.input.view.shape)));
    if (overlaps_itself(copy.output.view))
      output->problem("views", "the output overlaps itself: one place would be written twice");
    return copy;
  }

  // `same`: the shape when none is given.
  ViewedTensor read_side(YamlMap& map, const Shape* same) {
    auto shape = map.integers("shape");
    if (!shape && !(same && !map.has("shape"))) map.problem("shape", "missing, expected a list of whole numbers");
    const Shape sizes = shape ? *shape : same ? *same : Shape{1};
    const auto tag = map.text("layout");
    const Shape padded = map.integers("padded").value_or(Shape{});
    const std::int64_t offset = map.integer("offset").value_or(0);
    document_.check();
    // The output of an empty view: memory for one element, of which nothing is seen.
    Shape held = sizes;
    for (std::int64_t& size : held) size = shape ? size : std::max<std::int64_t>(1, size);
    ViewedTensor side;
    side.layout = checked(
        map, "layout", [&] { return Layout::from_tag(held, tag ? *tag : Layout::plain(held).tag(), padded, offset); });
    side.view = View::of(sizes);
    for (YamlMap& step : map.maps("views")) side.view = read_step(step, side.view, sizes);
    map.reject_unknown_keys();
    document_.check();
    return side;
  }

  View read_step(YamlMap& map, const View& view, const Shape& base) {
    ViewStep step;
    const auto op = map.choice("op", op_choices());
    if (!op && !map.has("op")) map.problem("op", "missing, expected a view operator");
    document_.check();
    step.op = *op;
    for (const std::string& key : arguments(step.op)) read_argument(map, key, view, step);
    map.reject_unknown_keys();
    document_.check();
    return checked(map, "op", [&] { return apply(step, view, base); });
  }

  // Keys of an operator besides `op`; those in read_argument() that have a default may be absent. It may depend on the
  // keys before.
  static std::vector<std::string> arguments(ViewOp op) {
    switch (op) {
      case ViewOp::kView:
      case ViewOp::kExpand:
        return {"shape"};
      case ViewOp::kPermute:
      case ViewOp::kTranspose:
      case ViewOp::kFlip:
        return {"dims"};
      case ViewOp::kSlice:
        return {"dim", "step", "start", "stop"};
      case ViewOp::kNarrow:
        return {"dim", "start", "length"};
      case ViewOp::kSelect:
        return {"dim", "index"};
      case ViewOp::kSqueeze:
      case ViewOp::kUnsqueeze:
        return {"dim"};
      case ViewOp::kUnfold:
        return {"dim", "size", "step"};
      case ViewOp::kAsStrided:
        return {"shape", "strides", "offset"};
    }
    return {};
  }

  void read_argument(YamlMap& map, const std::string& key, const View& view, ViewStep& step) {
    if (key == "shape" || key == "dims" || key == "strides") {
      const auto list = map.integers(key);
      if (!list && !map.has(key)) map.problem(key, "missing, expected a list of whole numbers");
      (key == "shape" ? step.shape : key == "dims" ? step.dims : step.strides) = list.value_or(Shape{});
      return;
    }
    const auto value = map.integer(key);
    const bool optional = key == "start" || key == "stop" || key == "step" || key == "offset";
    if (!value && !map.has(key) && !optional) map.problem(key, "missing, expected a whole number");
    if (!value) {
      // The ends that the step leads from and to; the first element's is what lies before every place from the end.
      const std::int64_t size = size_of(view, step.dim);
      if (key == "start" && step.step < 0) step.start = size;
      if (key == "stop") step.stop = step.step < 0 ? -size - 1 : size;
      return;
    }
    if (key == "dim") step.dim = *value;
    if (key == "start" || key == "index" || key == "offset") step.start = *value;
    if (key == "stop") step.stop = *value;
    if (key == "step") step.step = *value;
    if (key == "length" || key == "size") step.length = *value;
  }

  // 0 where the dimension does not exist, which is refused later.
  static std::int64_t size_of(const View& view, std::int64_t dim) {
    const auto rank = std::ssize(view.shape);
    if (dim < -rank || dim >= rank) return 0;
    return view.shape[static_cast<std::size_t>(dim < 0 ? dim + rank : dim)];
  }

  YamlDocument& document_;
  std::set<std::string> names_;
};

}  // namespace

std::vector<TracedCopy> read_view_trace(const std::string& path) {
  return ViewReader(*YamlDocument::from_file(path)).read();
}

std::vector<TracedCopy> read_view_trace_text(const std::string& text, const std::string& name) {
  return ViewReader(*YamlDocument::from_text(text, name)).read();
}

}  // namespace tilewright
