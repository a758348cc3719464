// Instruction programs: from text or a file, verified against a chip.
#include "cli/shipped.h"
#include "python/bindings.h"
#include "sim/base/error.h"
#include "sim/isa/binary.h"
#include "sim/isa/text.h"
#include "sim/isa/verify/verify.h"

namespace tilewright {
namespace {

namespace py = pybind11;

// A program and where its instructions stand, for the verifier's messages.
struct ProgramText {
  Program program;
  std::string source;
  InstructionLines lines;
};

ProgramText program_from_text(const std::string& text, const std::string& source) {
  ProgramText program{.source = source};
  program.program = parse_program(text, source, &program.lines);
  return program;
}

ProgramText program_from_file(const std::string& file) {
  ProgramText program{.source = path_of(file, Shipped::kProgram)};
  program.program = load_program(program.source, &program.lines);
  return program;
}

std::size_t instruction_count(const Program& program) {
  std::size_t count = 0;
  for (const CoreProgram& one : program.cores) count += one.instructions.size();
  return count;
}

}  // namespace

void bind_program(py::module_& core) {
  py::class_<Program>(core, "BareProgram")
      .def_readonly("name", &Program::name)
      .def_property_readonly("text", &print_program)
      .def_property_readonly("hash", &hash_of)
      .def_property_readonly("cores", [](const Program& program) { return program.cores.size(); })
      .def("__len__", &instruction_count);
  py::class_<ProgramText>(core, "Program")
      .def_static("from_text", &program_from_text, py::arg("text"), py::arg("source"), Unlocked())
      .def_static("from_file", &program_from_file, py::arg("file"), Unlocked())
      .def(
          "verify",
          [](const ProgramText& program, const Hardware& hardware) {
            verify(program.program, hardware, program.source, program.lines);
          },
          py::arg("hardware"), Unlocked())
      .def_readonly("source", &ProgramText::source)
      .def_readonly("bare", &ProgramText::program);
}

}  // namespace tilewright
