#include "cli/shipped.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "sim/base/error.h"
#include "sim/base/file_kind.h"

namespace tilewright {

namespace fs = std::filesystem;

const std::vector<ShippedKind>& shipped_kinds() {
  static const std::vector<ShippedKind> kKinds{
      {Shipped::kChip, "HARDWARE", "hardware file, or a chip by name, e.g. quad_numa", "chip", "hw_configs",
       R"(.*\.yaml)"},
      {Shipped::kWorkload,
       "WORKLOAD",
       "workload: .onnx, .yaml graph, .csv list or a language model's config .json, or a name, e.g. bert_large_layer",
       "workload",
       "traces",
       R"((?!views_).*\.(onnx|yaml|csv|json))",
       {"llm"}},
      {Shipped::kProgram, "PROGRAM", "program as text (.tw) or binary, or a name, e.g. hello_matmul", "program",
       "traces", R"(.*\.tw)"},
      {Shipped::kCopies, "TRACE", "copies, as YAML (docs/strided_copy.md), or a name, e.g. views_attention",
       "trace of copies", "traces", R"(views_.*\.yaml)"},
      {Shipped::kStudy, "STUDY", "study file, or a name, e.g. bert_buffers", "study", "hw_configs/studies",
       R"(.*\.yaml)"},
  };
  return kKinds;
}

fs::path shipped_folder(const std::string& name) {
  const fs::path beside = fs::path(program_path()).parent_path().parent_path() / "share/tilewright";
  for (const fs::path& root : {beside, fs::path(TILEWRIGHT_DATA_DIR)})
    if (is_folder(root / name)) return root / name;
  throw UserError("", fmt::format("this installation has no folder '{}': neither {} nor {} holds it", name,
                                  beside.string(), TILEWRIGHT_DATA_DIR));
}

namespace {

std::string& given_program_path() {
  static std::string path;
  return path;
}

const ShippedKind& row_of(Shipped kind) { return shipped_kinds()[static_cast<std::size_t>(kind)]; }

std::vector<fs::path> shipped_files(Shipped kind) {
  const ShippedKind& row = row_of(kind);
  const std::regex pattern(row.pattern);
  std::vector<fs::path> files, folders{shipped_folder(row.folder)};
  for (const char* below : row.also_in) folders.push_back(folders.front() / below);
  for (const fs::path& folder : folders)
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (std::regex_match(entry.path().filename().string(), pattern)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<std::string> shipped_names(Shipped kind) {
  std::vector<std::string> names;
  for (const fs::path& file : shipped_files(kind)) names.push_back(file.stem().string());
  return names;
}

std::string path_of(const std::string& text, Shipped kind) {
  if (text.find('/') != std::string::npos || is_there(text)) return text;
  for (const fs::path& file : shipped_files(kind))
    if (file.stem() == text || file.filename() == text) return file.string();
  throw UserError(text, fmt::format("there is no such file, and no {} of that name comes with tilewright; there are {}",
                                    row_of(kind).noun, fmt::join(shipped_names(kind), ", ")));
}

CLI::Option* add_file_option(CLI::App& command, Shipped kind, const std::string& name, std::string& target,
                             const std::string& description) {
  const auto find = [kind](std::string& text) {
    text = path_of(text, kind);
    return std::string();
  };
  return command.add_option(name, target, description)->transform(CLI::Validator(find, ""));
}

CLI::Option* add_file_argument(CLI::App& command, Shipped kind, std::string& target) {
  return add_file_option(command, kind, row_of(kind).argument, target, row_of(kind).description);
}

std::string program_path() {
  return given_program_path().empty() ? std::filesystem::read_symlink("/proc/self/exe").string() : given_program_path();
}

void set_program_path(const std::string& path) { given_program_path() = path; }

}  // namespace tilewright
