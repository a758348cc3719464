// The hardware file: as written with some keys changed, resolved and checked by the reader of the command line.

#include "cli/shipped.h"
#include "planner/search/study/study.h"
#include "python/bindings.h"
#include "sim/base/number_text.h"
#include "sim/base/text_file.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

namespace py = pybind11;

// A hardware file and what it says.
struct HardwareText {
  std::string text, source;
  Hardware hardware;
};

HardwareText hardware_from_text(const std::string& text, const std::string& source) {
  return {text, source, load_hardware_text(text, source)};
}

HardwareText hardware_from_file(const std::string& file) {
  const std::string path = path_of(file, Shipped::kChip);
  return {read_text_file(path), path, load_hardware(path)};
}

Shipped shipped_kind(const std::string& noun) {
  for (const ShippedKind& row : shipped_kinds())
    if (row.noun == noun) return row.kind;
  throw UserError(noun, "expected chip|workload|program|trace of copies|study");
}

using KeysAndValues = std::vector<std::pair<std::string, std::string>>;

HardwareText with_settings(const HardwareText& chip, const KeysAndValues& values) {
  std::vector<Setting> settings;
  for (const auto& [key, value] : values) settings.push_back({key, value});
  return hardware_from_text(apply_settings(chip.text, settings), chip.hardware.name);
}

py::object scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return py::str(text);  // quoted
  if (text == "true" || text == "false") return py::bool_(text == "true");
  if (const auto integer = number_of<std::int64_t>(text)) return py::int_(*integer);
  if (const auto real = number_of<double>(text)) return py::float_(*real);
  return py::str(text);
}

py::object object_of(const YAML::Node& node) {
  if (node.IsScalar()) return scalar(node);
  if (node.IsSequence()) {
    py::list list;
    for (const YAML::Node& item : node) list.append(object_of(item));
    return list;
  }
  py::dict map;
  for (const auto& entry : node) map[py::str(entry.first.Scalar())] = object_of(entry.second);
  return map;
}

}  // namespace

void bind_hardware(py::module_& core) {
  py::class_<Hardware>(core, "ResolvedHardware");
  py::class_<HardwareText>(core, "Hardware")
      .def_static("from_file", &hardware_from_file, py::arg("file"), Unlocked())
      .def_static("from_text", &hardware_from_text, py::arg("text"), py::arg("source"), Unlocked())
      .def("with_settings", &with_settings, py::arg("settings"))
      .def("to_yaml", [](const HardwareText& chip) { return to_yaml(chip.hardware); })
      .def("values", [](const HardwareText& chip) { return object_of(YAML::Load(to_yaml(chip.hardware))); })
      .def_readonly("text", &HardwareText::text)
      .def_readonly("source", &HardwareText::source)
      .def_readonly("resolved", &HardwareText::hardware)
      .def_property_readonly("name", [](const HardwareText& chip) { return chip.hardware.name; })
      .def_property_readonly("cores", [](const HardwareText& chip) { return chip.hardware.cores(); })
      .def_property_readonly("fingerprint", [](const HardwareText& chip) { return fingerprint(chip.hardware); });
  core.def("hardware_keys", &hardware_keys);
  core.def("shipped_names", [](const std::string& noun) { return shipped_names(shipped_kind(noun)); });
  core.def("shipped_path",
           [](const std::string& name, const std::string& noun) { return path_of(name, shipped_kind(noun)); });
}

}  // namespace tilewright
