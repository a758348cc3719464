// The operator graph: imported from a file, or built operator by operator with the rules of the YAML format.
#include <fmt/ranges.h>
#include <pybind11/numpy.h>

#include "cli/shipped.h"
#include "cli/workload_options.h"
#include "planner/graph/data_type_choices.h"
#include "planner/graph/graph_edit.h"
#include "planner/import/import.h"
#include "planner/reference/reference.h"
#include "python/bindings.h"
#include "sim/base/error.h"
#include "sim/base/text_list.h"

namespace tilewright {
namespace {

namespace py = pybind11;
using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

DataType type_named(const std::string& name) {
  if (const auto type = parse_data_type(name)) return *type;
  throw UserError("type", fmt::format("got '{}', expected {}", name, fmt::join(names_of(data_type_choices()), "|")));
}

Graph load_graph(const std::string& file, const std::string& type, std::int64_t batch,
                 const std::map<std::string, std::int64_t>& dims, bool values) {
  ImportOptions options{.type = type_named(type), .batch = batch, .dimensions = dims};
  options.values = values;
  return import_workload(path_of(file, Shipped::kWorkload), options);
}

void add_tensor(Graph& graph, const std::string& name, const Shape& shape, const std::string& type, bool constant,
                bool index, const std::optional<Array>& data) {
  Tensor tensor{.name = name, .shape = shape, .type = type_named(type)};
  tensor.kind = constant ? TensorKind::kConstant : TensorKind::kInput;
  tensor.is_index = index;
  if (data) tensor.data = std::vector<double>(data->data(), data->data() + data->size());
  graph.add_tensor(std::move(tensor));
}

TensorId tensor_named(const Graph& graph, const std::string& name) {
  if (const auto id = graph.find_tensor(name)) return *id;
  throw UserError(graph.name, fmt::format("has no tensor '{}'", name));
}

template <typename T>
void take(const py::dict& values, const char* key, T& target) {
  if (values.contains(key)) target = values[key].cast<T>();
}

// The keys of docs/workloads.md; axes are normalised.
Attributes attributes_of(const py::dict& values) {
  Attributes a;
  take(values, "axis", a.axis), take(values, "axes", a.axes);
  take(values, "starts", a.starts), take(values, "ends", a.ends), take(values, "steps", a.steps);
  take(values, "permutation", a.permutation);
  take(values, "window", a.window), take(values, "strides", a.strides);
  take(values, "dilations", a.dilations), take(values, "pads", a.pads), take(values, "groups", a.groups);
  take(values, "transpose_a", a.transpose_a), take(values, "transpose_b", a.transpose_b);
  take(values, "keepdims", a.keepdims), take(values, "count_include_pad", a.count_include_pad);
  take(values, "ceil_mode", a.ceil_mode);
  take(values, "epsilon", a.epsilon), take(values, "alpha", a.alpha), take(values, "beta", a.beta);
  take(values, "bits", a.bits), take(values, "group_size", a.group_size), take(values, "zero_point", a.zero_point);
  take(values, "low", a.clip_low), take(values, "high", a.clip_high);
  return a;
}

OpKind kind_named(const std::string& name) {
  if (const auto kind = parse_op_kind(name)) return *kind;
  std::string names;
  for (const OperatorTraits& traits : all_operator_traits()) append_item(names, "|", traits.name);
  throw UserError("kind", fmt::format("got '{}', expected {}", name, names));
}

// `shape`: of a Reshape's output; every other kind infers its own. The shape of the output.
Shape add_operator(Graph& graph, const std::string& name, const std::string& kind,
                   const std::vector<std::string>& inputs, const std::string& output, const py::dict& attributes,
                   const std::optional<Shape>& shape, const std::optional<std::string>& type) {
  Operator op{.name = name, .kind = kind_named(kind), .attributes = attributes_of(attributes)};
  for (const std::string& input : inputs) op.inputs.push_back(tensor_named(graph, input));
  Tensor result{.name = output, .type = type ? type_named(*type) : graph.tensor(op.inputs.at(0)).type};
  result.shape = shape ? *shape : infer_shape(graph, op);
  if (graph.find_tensor(output)) throw UserError(output, "there is a tensor of that name already");
  op.output = graph.add_tensor(result);
  infer_shape(graph, op);
  graph.add_operator(std::move(op));
  return result.shape;
}

void mark_output(Graph& graph, const std::string& name) {
  Tensor& tensor = graph.tensor(tensor_named(graph, name));
  if (!tensor.producer) throw UserError(name, "no operator computes it");
  tensor.kind = TensorKind::kOutput;
}

TensorValues seeded(const Graph& graph, TensorId id, DataType type) {
  const bool index = graph.tensor(id).is_index;
  return initial_values(graph, id, index ? DataType::kInt32 : type, index ? 0 : kValueSeed);
}

// Inputs and constants without values get those that are made up for a run in `type`.
void fix_values(Graph& graph, const std::string& type) {
  const DataType parsed = type_named(type);
  for (TensorId id = 0; id < static_cast<TensorId>(graph.tensors().size()); ++id) {
    const Tensor& tensor = graph.tensor(id);
    if (tensor.data || tensor.producer) continue;
    graph.tensor(id).data = seeded(graph, id, parsed);
  }
}

py::array_t<double> values_of(const Graph& graph, const std::string& name) {
  const Tensor& tensor = graph.tensor(tensor_named(graph, name));
  if (!tensor.data) throw UserError(name, "has no values, expected an input or a constant, after fix_values()");
  return py::array_t<double>(tensor.shape, tensor.data->data());
}

// What a run takes: tensors that nothing reads are outputs. UserError for a graph without operators.
Graph finished(const Graph& graph) {
  if (graph.operators().empty()) throw UserError(graph.name, "has no operators");
  Graph copy = graph;
  for (TensorId id = 0; id < static_cast<TensorId>(copy.tensors().size()); ++id)
    if (copy.tensor(id).producer && copy.tensor(id).consumers.empty()) copy.tensor(id).kind = TensorKind::kOutput;
  return copy;
}

const char* name_of(TensorKind kind) {
  switch (kind) {
    case TensorKind::kInput:
      return "input";
    case TensorKind::kConstant:
      return "constant";
    case TensorKind::kHidden:
      return "hidden";
    case TensorKind::kOutput:
      return "output";
  }
  return "";
}

py::list tensors_of(const Graph& graph) {
  py::list list;
  for (const Tensor& tensor : graph.tensors())
    list.append(py::make_tuple(tensor.name, py::tuple(py::cast(tensor.shape)), std::string(name_of(tensor.type)),
                               name_of(tensor.kind)));
  return list;
}

py::list operators_of(const Graph& graph) {
  py::list list;
  for (OperatorId id = 0; id < static_cast<OperatorId>(graph.operators().size()); ++id) {
    const Operator& op = graph.op(id);
    std::vector<std::string> inputs;
    for (const TensorId input : op.inputs) inputs.push_back(graph.tensor(input).name);
    list.append(py::make_tuple(op.name, std::string(name_of(op.kind)), inputs, graph.tensor(op.output).name,
                               mac_count(graph, op)));
  }
  return list;
}

}  // namespace

void bind_graph(py::module_& core) {
  py::class_<Graph>(core, "Graph")
      .def(py::init([](const std::string& name) {
             Graph graph;
             graph.name = name;
             return graph;
           }),
           py::arg("name"))
      .def_static("from_file", &load_graph, py::arg("file"), py::arg("type"), py::arg("batch"), py::arg("dims"),
                  py::arg("values"), Unlocked())
      .def_readwrite("name", &Graph::name)
      .def("add_tensor", &add_tensor, py::arg("name"), py::arg("shape"), py::arg("type"), py::arg("constant"),
           py::arg("index"), py::arg("data"))
      .def("add_operator", &add_operator, py::arg("name"), py::arg("kind"), py::arg("inputs"), py::arg("output"),
           py::arg("attributes"), py::arg("shape"), py::arg("type"))
      .def("mark_output", &mark_output, py::arg("name"))
      .def("finished", &finished)
      .def("copy", [](const Graph& graph) { return graph; })
      .def("fix_values", &fix_values, py::arg("type"), Unlocked())
      .def("values", &values_of, py::arg("name"))
      .def("tensors", &tensors_of)
      .def("operators", &operators_of);
  core.def("operator_kinds", [] {
    std::vector<std::string> kinds;
    for (const OperatorTraits& traits : all_operator_traits()) kinds.emplace_back(traits.name);
    return kinds;
  });
}

}  // namespace tilewright
