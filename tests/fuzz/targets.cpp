#include "tests/fuzz/targets.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "planner/import/import.h"
#include "planner/import/tensor_file.h"
#include "planner/ir/label.h"
#include "planner/measure/measure.h"
#include "planner/report/study/study_json.h"
#include "planner/search/database/shape_extents.h"
#include "planner/search/database/tiling_record.h"
#include "planner/search/order/order_file.h"
#include "planner/search/study/study_read.h"
#include "planner/view/layout.h"
#include "planner/view/view_trace.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/binary.h"
#include "sim/isa/text.h"
#include "sim/isa/verify/verify.h"
#include "tests/fuzz/database_target.h"

namespace tilewright::fuzz {
namespace {

// The input as a file of its own, for readers that take a path.
class InputFile {
 public:
  InputFile(std::string_view input, const char* extension)
      : path_(fmt::format("/dev/shm/tilewright_fuzz_{}{}", getpid(), extension)) {
    const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const bool written = file >= 0 && write(file, input.data(), input.size()) == static_cast<ssize_t>(input.size());
    if (file >= 0) close(file);
    SIM_CHECK(written, "{} cannot be written", path_);
  }
  ~InputFile() { unlink(path_.c_str()); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// What is legal is also what its own text says.
void hardware(std::string_view input) {
  const Hardware read = load_hardware_text(std::string(input), "fuzz");
  SIM_CHECK(fingerprint(load_hardware_text(to_yaml(read), "again")) == fingerprint(read),
            "another chip when read back");
}

// A file that is as it should be is checked as the program checks it.
void workload(std::string_view input, const char* extension) {
  const InputFile file(input, extension);
  import_workload(file.path());
}
void onnx(std::string_view input) { workload(input, ".onnx"); }
void graph(std::string_view input) { workload(input, ".yaml"); }
void csv(std::string_view input) { workload(input, ".csv"); }

// What is read, and what the whole model has to do; no graph is built of it.
void language(std::string_view input) {
  const InputFile file(input, ".json");
  const LanguageModel model = import_language_model(file.path(), {.batch = 2, .language = {.context = 3}});
  const LanguageWork work = work_of(model, DataType::kFp32);
  SIM_CHECK(work.weights > 0 && work.weights_read > 0 && work.macs > 0, "no weights or nothing to do");
}

const Hardware& chip() {
  static const Hardware kChip = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/dual_cluster.yaml");
  return kChip;
}

void verify_on_chip(const Program& program) { verify(program, chip(), "fuzz"); }

void program_text(std::string_view input) {
  const Program read = parse_program(std::string(input), "fuzz");
  SIM_CHECK(hash_of(parse_program(print_program(read), "again")) == hash_of(read), "another program when read back");
  verify_on_chip(read);
}

void program_binary(std::string_view input) {
  const auto* bytes = reinterpret_cast<const std::byte*>(input.data());
  const Program read = decode({bytes, bytes + input.size()}, "fuzz");
  SIM_CHECK(hash_of(decode(encode(read), "again")) == hash_of(read), "another program when read back");
  verify_on_chip(read);
}

// A row of a database: its columns, a line each.
void record(std::string_view input) {
  std::vector<std::string> texts{""};
  for (const char c : input)
    if (c == '\n')
      texts.emplace_back();
    else
      texts.back() += c;
  const TilingRecord read = record_from_texts(texts, "fuzz");
  SIM_CHECK(record_texts(record_from_texts(record_texts(read), "again")) == record_texts(read), "another record");
}

void cost(std::string_view input) { cost_from_json(std::string(input)); }

void shape(std::string_view input) { parse_operator_shape(std::string(input), "fuzz"); }

// SOURCE stands for the root of the repository: a study names the files of its chip and workloads.
void study(std::string_view input) {
  static const std::regex kSource("SOURCE");
  const InputFile file(std::regex_replace(std::string(input), kSource, TILEWRIGHT_SOURCE_DIR), ".yaml");
  load_study(file.path());
}

// As study folders hand it on: what JSON misses is the user's error there.
void study_point(std::string_view input) {
  try {
    point_from_json(nlohmann::ordered_json::parse(input));
  } catch (const nlohmann::json::exception&) {
    throw UserError("fuzz", "no point");
  }
}

void views(std::string_view input) { read_view_trace_text(std::string(input), "fuzz"); }

void layout(std::string_view input) { Layout::from_tag({7, 40, 3}, input); }

void label(std::string_view input) {
  if (input.starts_with("static"))
    parse_static_label(input);
  else
    parse_dynamic_label(input);
}

void order(std::string_view input) {
  const InputFile file(input, ".yaml");
  read_order(file.path());
}

void npy(std::string_view input) {
  const InputFile file(input, ".npy");
  read_tensor_file(file.path());
}

void tensor(std::string_view input) {
  const InputFile file(input, ".pb");
  read_tensor_file(file.path());
}

constexpr std::array kTargets{Target{"hardware", hardware, "hw_configs", ".yaml"},
                              Target{"onnx", onnx, "traces", ".onnx"},
                              Target{"graph", graph, "traces", ".yaml"},
                              Target{"csv", csv, "traces", ".csv"},
                              Target{"language", language, "traces/llm", ".json"},
                              Target{"program_text", program_text, "examples", ".tw"},
                              Target{"program_binary", program_binary, "", ""},
                              Target{"record", record, "", ""},
                              Target{"cost", cost, "", ""},
                              Target{"database", database, "", ""},
                              Target{"shape", shape, "", ""},
                              Target{"study", study, "", ""},
                              Target{"study_point", study_point, "", ""},
                              Target{"views", views, "", ""},
                              Target{"layout", layout, "", ""},
                              Target{"label", label, "", ""},
                              Target{"order", order, "tests/golden/traces", ".yaml"},
                              Target{"npy", npy, "", ""},
                              Target{"tensor", tensor, "", ""}};

}  // namespace

std::span<const Target> targets() { return kTargets; }

}  // namespace tilewright::fuzz
