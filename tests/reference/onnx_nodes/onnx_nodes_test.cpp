// ONNX's own tests of its operators, as Debian packages them: every model that is imported runs on a simulated chip,
// and gives the outputs that stand beside it. Where the package is not installed there is nothing to run.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "planner/import/import.h"
#include "planner/import/onnx_convert.h"
#include "planner/import/tensor_file.h"
#include "planner/measure/check.h"
#include "planner/measure/outputs.h"
#include "planner/passes/pass.h"
#include "planner/reference/reference.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

const fs::path kData = "/usr/share/libonnx-testdata/data";

// Of 1,072 models; raise it when more pass.
constexpr int kPassAtLeast = 600;

struct Outcome {
  enum class Kind { kPassed, kRefused, kWrong } kind = Kind::kRefused;
  std::string message;
};

std::vector<fs::path> models() {
  std::vector<fs::path> folders;
  for (const auto& group : fs::directory_iterator(kData))
    for (const auto& entry : fs::directory_iterator(group.path()))
      if (fs::exists(entry.path() / "model.onnx")) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

// ONNX's own tolerances, and what fp32 loses beside the largest value.
std::string difference(const OutputValues& got, const FileTensor& expected) {
  if (got.shape != expected.shape)
    return fmt::format("shape {} instead of {}", to_string(got.shape), to_string(expected.shape));
  double largest = 0;
  for (const double value : expected.values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  // The expected bfloat16 of these files were cut, not rounded.
  const double relative = got.type == ValueType::kBfloat16 ? 0x1p-7 : 1e-3;
  for (std::size_t i = 0; i < got.values.size(); ++i) {
    const double a = got.values[i], b = expected.values[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (!(std::abs(a - b) <= relative * std::abs(b) + 1e-6 * largest + 1e-7))
      return fmt::format("{} instead of {} at {}", a, b, i);
  }
  return {};
}

// The outputs stand in the file's order, those of the graph in the order of computation: they are matched by name.
std::vector<std::string> output_names(const fs::path& folder) {
  onnx::ModelProto model;
  std::ifstream file(folder / "model.onnx", std::ios::binary);
  model.ParseFromIstream(&file);
  std::vector<std::string> names;
  for (const auto& output : model.graph().output()) names.push_back(output.name());
  return names;
}

Outcome compare(const fs::path& folder, const fs::path& data, const std::vector<OutputValues>& outputs) {
  const std::vector<std::string> names = output_names(folder);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto got =
        std::find_if(outputs.begin(), outputs.end(), [&](const auto& one) { return one.name == names[i]; });
    if (got == outputs.end()) return {Outcome::Kind::kWrong, fmt::format("no output '{}'", names[i])};
    const std::string file = (data / fmt::format("output_{}.pb", i)).string();
    const std::string wrong = difference(*got, read_as(read_tensor_file(file), got->type));
    if (!wrong.empty()) return {Outcome::Kind::kWrong, fmt::format("output '{}': {}", names[i], wrong)};
  }
  return {Outcome::Kind::kPassed, {}};
}

Outcome run(Session& session, const fs::path& folder) try {
  const fs::path data = folder / "test_data_set_0";
  ImportOptions import{.type = DataType::kFp32, .values = true};
  import.inputs = data.string();
  const Graph graph = import_workload((folder / "model.onnx").string(), import);
  const Plan plan = make_plan(graph, session.hardware(), {.type = DataType::kFp32});
  const RunResult result = session.run(plan.program, value_run(plan, kValueSeed));
  return compare(folder, data, output_values(plan, result.kept));
} catch (const UserError& error) {
  std::string message = error.what();
  for (const std::string& place : {(folder / "model.onnx").string() + ": ", folder.string() + "/"})
    if (message.starts_with(place)) message.erase(0, place.size());
  return {Outcome::Kind::kRefused, message};
} catch (const InternalError& error) {
  return {Outcome::Kind::kWrong, error.what()};
}

// For scripts/print_onnx_operators: operators, opset, folder, outcome and message of every model.
void write_table(const std::map<fs::path, Outcome>& outcomes) {
  const char* path = std::getenv("TILEWRIGHT_NODE_TABLE");
  if (path == nullptr) return;
  std::ofstream table(path);
  for (const OnnxConversion& row : all_onnx_conversions()) table << "imported\t" << row.type << "\n";
  for (const auto& [folder, outcome] : outcomes) {
    onnx::ModelProto model;
    std::ifstream file(folder / "model.onnx", std::ios::binary);
    model.ParseFromIstream(&file);
    std::set<std::string> types;
    for (const auto& node : model.graph().node())
      types.insert(node.domain() + (node.domain().empty() ? "" : ".") + node.op_type());
    static constexpr const char* kNames[] = {"passed", "refused", "wrong"};
    std::string message = outcome.message;
    std::replace(message.begin(), message.end(), '\n', ' ');
    table << fmt::format("{}\t{}\t{}\t{}\t{}\n", kNames[static_cast<int>(outcome.kind)], fmt::join(types, " "),
                         model.opset_import_size() > 0 ? model.opset_import(0).version() : 0,
                         folder.filename().string(), message);
  }
}

TEST(OnnxNodes, GiveTheOutputsThatStandBesideThem) {
  if (!fs::exists(kData)) GTEST_SKIP() << "the package libonnx-testdata is not installed";
  Hardware hardware = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/quad_smp.yaml");
  Session session(hardware);
  std::map<fs::path, Outcome> outcomes;
  std::map<Outcome::Kind, int> counts;
  const char* only = std::getenv("TILEWRIGHT_NODE");
  for (const fs::path& folder : models()) {
    if (only && folder.filename().string().find(only) == std::string::npos) continue;
    if (only) fmt::print("{}\n", folder.string());
    const Outcome outcome = outcomes[folder] = run(session, folder);
    ++counts[outcome.kind];
    EXPECT_NE(outcome.kind, Outcome::Kind::kWrong) << folder << ": " << outcome.message;
    if (only) fmt::print("  {}\n", outcome.message);
  }
  write_table(outcomes);
  fmt::print("{} of {} models pass, {} are refused\n", counts[Outcome::Kind::kPassed], outcomes.size(),
             counts[Outcome::Kind::kRefused]);
  if (!only) {
    EXPECT_GE(counts[Outcome::Kind::kPassed], kPassAtLeast);
  }
}

}  // namespace
}  // namespace tilewright
