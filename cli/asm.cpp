// tilewright asm PROGRAM.tw -o PROGRAM.twb, tilewright disasm PROGRAM.twb: programs from text to bytes and back.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/shipped.h"
#include "sim/base/error.h"
#include "sim/base/text_file.h"
#include "sim/isa/binary.h"
#include "sim/isa/text.h"

namespace tilewright {
namespace {

struct AsmCommand {
  std::string program, output;
};

bool is_binary(const std::string& content) {
  return is_binary_program(reinterpret_cast<const std::byte*>(content.data()), content.size());
}

void assemble(const AsmCommand& command) {
  check_output_file(command.output);
  const std::string text = read_text_file(command.program);
  if (is_binary(text)) throw UserError(command.program, "is a binary program already, expected text");
  const Program program = parse_program(text, command.program);
  const auto bytes = encode(program);
  write_text_file(command.output, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  std::size_t instructions = 0;
  for (const CoreProgram& core : program.cores) instructions += core.instructions.size();
  fmt::print("Program: {}, {} cores, {} instructions, {} bytes\n", command.output, program.cores.size(), instructions,
             bytes.size());
}

void disassemble(const AsmCommand& command) {
  if (!command.output.empty()) check_output_file(command.output);
  const std::string content = read_text_file(command.program);
  if (!is_binary(content)) throw UserError(command.program, "is no binary program, expected one written by asm");
  const std::string text = print_program(program_from(content, command.program));
  if (command.output.empty())
    fmt::print("{}", text);
  else
    write_text_file(command.output, text);
}

}  // namespace

void add_asm_commands(CLI::App& app) {
  auto assembly = std::make_shared<AsmCommand>(), disassembly = std::make_shared<AsmCommand>();
  CLI::App* to_bytes = app.add_subcommand("asm", "Write a program that is text as the bytes that a core fetches");
  add_file_argument(*to_bytes, Shipped::kProgram, assembly->program)->required();
  to_bytes->add_option("-o,--output", assembly->output, "the binary program")->type_name("FILE.twb")->required();
  to_bytes->callback([assembly] { assemble(*assembly); });
  CLI::App* to_text = app.add_subcommand("disasm", "Print a binary program as text");
  to_text->add_option("PROGRAM", disassembly->program, "a binary program (.twb)")->required();
  to_text->add_option("-o,--output", disassembly->output, "write the text instead of printing it")
      ->type_name("FILE.tw");
  to_text->callback([disassembly] { disassemble(*disassembly); });
}

}  // namespace tilewright
