#include "planner/ir/label_fields.h"

#include <algorithm>

#include "planner/ir/access.h"
#include "planner/ir/axes.h"
#include "planner/ir/contraction.h"
#include "planner/ir/granule.h"
#include "planner/ir/group.h"
#include "planner/ir/in_place.h"
#include "planner/ir/lifetime.h"
#include "planner/ir/partials.h"
#include "planner/ir/requirement.h"
#include "planner/ir/sharing.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

class FieldCheck {
 public:
  explicit FieldCheck(const Plan& plan) : plan_(plan), swaps_(most_swaps(plan)) {}

  void check_operator(OperatorId id) const {
    const Operator& op = plan_.graph.op(id);
    const OperatorLabels& labels = plan_.operators[id].labels;
    const auto inputs = all_inputs(op);
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      check_form(labels.inputs[input], inputs[input]);
      SIM_CHECK(labels.inputs[input].swap >= needed_swap(plan_, id, input),
                "'{}' says that others need less of '{}' than they do: {}", op.name, name(inputs[input]),
                name_of(labels.inputs[input].swap));
    }
    for (std::size_t input = 0; input < op.inputs.size(); ++input)
      check_input_granules(op, input, labels.inputs[input]);
    check_form(labels.output, op.output);
    check_output_granules(op, labels.output);
    if (needs_no_instruction(plan_, op) || root_of(plan_, id) != id) return;
    check_split(id);
    check_partials(id);
  }

  void check_tensor(TensorId id) const {
    const DynamicLabel& label = plan_.labels[id].dynamic;
    check_form(label, id);
    if (plan_.tensors[id].alias_of >= 0) return;
    const std::optional<DynamicLabel> used = label_in_use(id);
    if (!used) return;
    DynamicLabel same = label;
    same.store = used->store, same.swap = used->swap;
    SIM_CHECK(same == *used, "the label of '{}' is not that of its operator: {} and {}", name(id), to_text(label),
              to_text(*used));
    SIM_CHECK(label.swap == swaps_[id], "the label of '{}' says that others need it by '{}', its operators '{}'",
              name(id), name_of(label.swap), name_of(swaps_[id]));
  }

 private:
  const std::string& name(TensorId id) const { return plan_.graph.tensor(id).name; }

  // Type, order, padding, size.
  void check_form(const DynamicLabel& label, TensorId id) const {
    const Tensor& tensor = plan_.graph.tensor(id);
    const StaticLabel& fixed = plan_.labels[id].fixed;
    SIM_CHECK(label.type == plan_.tensors[id].type, "'{}' is stored in another type than its label says", tensor.name);
    SIM_CHECK(label.size == bytes_of_tensor(plan_, id), "'{}' takes {} bytes, and its label says {}", tensor.name,
              bytes_of_tensor(plan_, id), label.size);
    SIM_CHECK(std::is_permutation(label.order.begin(), label.order.end(), fixed.order.begin(), fixed.order.end()) &&
                  label.order.size() == tensor.shape.size(),
              "'{}' has other dimensions than its label says", tensor.name);
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
      // The order of some weights names a dimension twice: it is not turned.
      const std::size_t at = label.order == fixed.order ? d : fixed.order.find(label.order[d]);
      const std::int64_t size = fixed.sizes[at];
      SIM_CHECK(size + label.padding[d].length == tensor.shape[d],
                "'{}' has {} elements along {}, and its label says {}", tensor.name, tensor.shape[d], label.order[d],
                size + label.padding[d].length);
      check_padding(tensor, d, label.padding[d]);
    }
  }

  void check_padding(const Tensor& tensor, std::size_t d, const Padding& padding) const {
    SIM_CHECK(padding.length > 0 || padding.value == 0, "'{}' is not padded, and its label names a value", tensor.name);
    if (padding.length == 0) return;
    SIM_CHECK(tensor.data, "'{}' is padded and has no values", tensor.name);
    std::int64_t inner = 1;
    for (std::size_t i = d + 1; i < tensor.shape.size(); ++i) inner *= tensor.shape[i];
    const std::int64_t first = tensor.shape[d] - padding.length;
    for (std::int64_t i = 0; i < std::ssize(*tensor.data); ++i)
      SIM_CHECK(i / inner % tensor.shape[d] < first || (*tensor.data)[i] == padding.value,
                "'{}' is padded with {}, and its label says {}", tensor.name, (*tensor.data)[i], padding.value);
  }

  void check_input_granules(const Operator& op, std::size_t input, const DynamicLabel& label) const {
    const Shape& shape = plan_.graph.tensor(op.inputs[input]).shape;
    for (std::size_t d = 0; d < shape.size(); ++d)
      check_granule(op, label, d, axis_of(plan_.graph, op, input, d), shape);
  }
  void check_output_granules(const Operator& op, const DynamicLabel& label) const {
    const Shape& shape = plan_.graph.tensor(op.output).shape;
    for (std::size_t d = 0; d < shape.size(); ++d) check_granule(op, label, d, static_cast<int>(d), shape);
  }
  void check_granule(const Operator& op, const DynamicLabel& label, std::size_t d, int axis, const Shape& shape) const {
    const std::int64_t granule = granule_at(plan_, op, axis, d + 1 == shape.size(), shape[d]);
    SIM_CHECK(label.granule[d] == granule, "'{}' takes {} elements along {} at a time, and its label says {}", op.name,
              granule, label.order[d], label.granule[d]);
  }

  // Every dimension that the parts cut, and what they sum over.
  void check_split(OperatorId id) const {
    const Operator& op = plan_.graph.op(id);
    const OperatorPlan& planned = plan_.operators[id];
    const Shape& shape = plan_.graph.tensor(op.output).shape;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      std::vector<Range> ranges;
      for (const WorkItem& item : planned.split.items) ranges.push_back(item.output[d]);
      check_cut(op, planned.labels.output, planned.labels.output.order[d], consecutive(std::move(ranges), shape[d]));
    }
    if (!is_contraction(op.kind)) return;
    const Shape& input = plan_.graph.tensor(op.inputs[0]).shape;
    for (std::size_t d = 0; d < input.size(); ++d)
      if (axis_of(plan_.graph, op, 0, d) == kReducedAxis)
        check_cut(op, planned.labels.inputs[0], planned.labels.inputs[0].order[d], sums_of(op, planned.split));
  }

  std::optional<std::vector<Range>> sums_of(const Operator& op, const Split& split) const {
    const std::int64_t kernel = kernel_of(plan_.graph, op);
    std::vector<Range> ranges;
    for (const WorkItem& item : split.items) ranges.push_back({item.k.begin / kernel, item.k.end / kernel});
    return consecutive(std::move(ranges), reduction_length(plan_.graph, op) / kernel);
  }

  // Ranges that do not follow one another are of parts that somebody chose; the label has the dimension whole.
  void check_cut(const Operator& op, const DynamicLabel& label, char dimension,
                 const std::optional<std::vector<Range>>& ranges) const {
    const DimensionSplit* cut = label.split_of(dimension);
    const std::size_t pieces = cut != nullptr ? cut->ranges.size() : 1, parts = ranges ? ranges->size() : 1;
    SIM_CHECK(pieces == parts && (pieces == 1 || cut->ranges == *ranges),
              "the parts of '{}' are not those of its label along {}", op.name, dimension);
  }

  void check_partials(OperatorId id) const {
    const OperatorPlan& planned = plan_.operators[id];
    const std::vector<PartialPlan> expected = partial_plans(plan_, id);
    const bool same = std::equal(expected.begin(), expected.end(), planned.partials.begin(), planned.partials.end(),
                                 [](const auto& a, const auto& b) { return a.shares == b.shares; });
    SIM_CHECK(same, "partial results of '{}' are not added up as its label says: {}", plan_.graph.op(id).name,
              name_of(planned.labels.output.reduction));
    SIM_CHECK(expected.empty() == (planned.labels.output.swap == Swap::kNo),
              "'{}' exchanges {} partial results, and its label says {}", plan_.graph.op(id).name,
              expected.empty() ? "no" : "its", name_of(planned.labels.output.swap));
    for (const PartialPlan& partial : planned.partials) check_place(id, partial);
  }

  void check_place(OperatorId id, const PartialPlan& partial) const {
    const Store& store = plan_.operators[id].labels.output.store;
    if (partial.bytes == 0) return;
    const int number = partial.place.in_dram() ? partial.place.region : partial.place.cluster;
    SIM_CHECK(partial.place.in_dram() == (store.level == StoreLevel::kMem) &&
                  (store.number == 0 || partial.place.in_dram() || store.number == number + 1),
              "a partial result of '{}' lies in {}{}, and its label says {}", plan_.graph.op(id).name,
              partial.place.in_dram() ? "mem" : "cluster", number + 1, to_text(store));
  }

  std::optional<DynamicLabel> label_in_use(TensorId id) const {
    const Tensor& tensor = plan_.graph.tensor(id);
    if (tensor.producer && !is_alias(plan_.graph.op(*tensor.producer).kind))
      return plan_.operators[*tensor.producer].labels.output;
    for (const OperatorId reader : tensor.consumers) {
      const auto inputs = all_inputs(plan_.graph.op(reader));
      const auto at = std::find(inputs.begin(), inputs.end(), id) - inputs.begin();
      if (!plan_.operators[reader].labels.inputs.empty()) return plan_.operators[reader].labels.inputs[at];
    }
    return {};
  }

  const Plan& plan_;
  const std::vector<Swap> swaps_;  // by TensorId of a storage
};

}  // namespace

void expect_fields_hold(const Plan& plan) {
  const FieldCheck check(plan);
  for (const OperatorId id : plan.order)
    if (!is_alias(plan.graph.op(id).kind)) check.check_operator(id);
  for (TensorId id = 0; id < std::ssize(plan.labels); ++id) check.check_tensor(id);
}

}  // namespace tilewright
