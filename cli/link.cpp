// tilewright link HARDWARE FIRST.tw SECOND.tw ... -o ALL.tw: programs as one that runs them one after the other.
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "cli/commands.h"
#include "cli/shipped.h"
#include "sim/base/text_file.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/link/link_programs.h"
#include "sim/isa/text.h"
#include "sim/isa/verify/verify.h"

namespace tilewright {
namespace {

struct LinkCommand {
  std::string hardware, output;
  std::vector<std::string> programs;
};

LinkedPart part_from(const std::string& name, const Hardware& hardware) {
  const std::string path = path_of(name, Shipped::kProgram);
  InstructionLines lines;
  LinkedPart part{path, load_program(path, &lines)};
  verify(part.program, hardware, path, lines);
  return part;
}

void run(const LinkCommand& command) {
  check_output_file(command.output);
  const Hardware hardware = load_hardware(command.hardware);
  std::vector<LinkedPart> parts;
  for (const std::string& name : command.programs) parts.push_back(part_from(name, hardware));
  const Program linked = link_programs(parts, hardware);
  verify(linked, hardware, command.output);
  write_text_file(command.output, print_program(linked));
  fmt::print("Program: {}, {} programs, {} segments, {} operators\n", command.output, parts.size(),
             linked.segments.size(), linked.operators.size() - 1);
}

}  // namespace

void add_link_command(CLI::App& app) {
  auto command = std::make_shared<LinkCommand>();
  CLI::App* sub = app.add_subcommand("link", "Write several programs as one that runs them one after the other");
  add_file_argument(*sub, Shipped::kChip, command->hardware)->required();
  sub->add_option("PROGRAMS", command->programs, "programs for this chip, in the order they run")->required();
  sub->add_option("-o,--output", command->output, "the linked program, as text")->type_name("FILE.tw")->required();
  sub->callback([command] { run(*command); });
}

}  // namespace tilewright
