// The files that come with the program: chips, workloads, programs, traces of copies and studies, found by name from
// any folder. They lie below share/tilewright, beside the folder of the program or under the prefix it was configured
// with.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewright {

enum class Shipped { kChip, kWorkload, kProgram, kCopies, kStudy };

struct ShippedKind {
  Shipped kind;
  const char* argument;                   // "HARDWARE", on the command line
  const char* description;                // of that argument
  const char* noun;                       // "chip", for messages
  const char* folder;                     // below share/tilewright
  const char* pattern;                    // of the files' names, as a regular expression
  std::vector<const char*> also_in = {};  // folders below it
};

// In the order of Shipped.
const std::vector<ShippedKind>& shipped_kinds();

// A folder below share/tilewright. UserError when this installation has none.
std::filesystem::path shipped_folder(const std::string& name);

// Without extension, sorted.
std::vector<std::string> shipped_names(Shipped kind);

// `text` itself when something is there or it holds a '/', else the shipped file of that name, with or without
// extension. UserError for an unknown name, with those there are.
std::string path_of(const std::string& text, Shipped kind);

// Declares the argument that takes a path or the name of a shipped file; `target` gets the path.
CLI::Option* add_file_argument(CLI::App& command, Shipped kind, std::string& target);

// The same as an option.
CLI::Option* add_file_option(CLI::App& command, Shipped kind, const std::string& name, std::string& target,
                             const std::string& description);

// Where this program's file lies, for jobs that start it again.
std::string program_path();
// For a host that is another program: where `tilewright` is.
void set_program_path(const std::string& path);

}  // namespace tilewright
