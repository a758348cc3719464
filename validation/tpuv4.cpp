#include "validation/tpuv4.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "planner/search/tiling/plan_network.h"
#include "sim/base/csv.h"
#include "validation/tpuv4_workload.h"

namespace tilewright {
namespace {

// Rows that a parameter of hw_configs/tpu_v4_chip.yaml comes from: the shortest and the longest stream of a family, and
// the longest product whose windows are known. Of a copy the longest but one of 1024 x 1024, whose operand is not read
// from HBM.
constexpr std::array<std::string_view, 7> kParameterRows{
    "add 384",        "add 1024x1024",          "linear 768x1024",      "div 1024x1024",
    "tanh 1024x1024", "maxpool 1x256x640x1024", "matmul 3319x3955x2977"};

// Below this the launch is most of an element-wise row.
constexpr double kShortMicroseconds = 2;
// What is asked; of rows that the launch is most of, nothing.
constexpr FamilyLimit kWindows{10}, kProducts{15, true}, kElementwise{8}, kNorms{10}, kPools{20};

struct Family {
  std::string name;
  std::optional<FamilyLimit> limit;
};

bool is_one_of(const std::string& op, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return op == name; });
}

Family product_family(const CsvRow& row) {
  if (!row.text("xla_window").empty()) return {"tpuv4 product, windows given", kWindows};
  const Shape dims = dims_of(row.where(), row.text("dims"));
  const std::int64_t largest = *std::max_element(dims.begin(), dims.end());
  if (largest <= 128) return {"tpuv4 product, to 128", kProducts};
  if (largest <= 1024) return {"tpuv4 product, 129 to 1024", kProducts};
  return {"tpuv4 product, above 1024", kProducts};
}

Family family_of(const CsvRow& row) {
  const std::string& op = row.text("op");
  if (op == "matmul") return product_family(row);
  if (is_one_of(op, {"layernorm", "rmsnorm"})) return {"tpuv4 " + op, kNorms};
  if (is_one_of(op, {"maxpool", "avgpool"})) return {"tpuv4 " + op, kPools};
  if (op == "batchnorm_infer") return {"tpuv4 batchnorm", kElementwise};
  const std::string kind = is_one_of(op, {"add", "sub", "mul", "div"}) ? "tpuv4 element-wise" : "tpuv4 activation";
  if (row.number("measured_us") < kShortMicroseconds) return {kind + ", below 2 us", std::nullopt};
  return {kind + ", from 2 us", kElementwise};
}

std::string name_of(const CsvRow& row) { return row.text("op") + " " + row.text("dims"); }

bool parameter_row(const CsvRow& row) {
  return std::find(kParameterRows.begin(), kParameterRows.end(), name_of(row)) != kParameterRows.end();
}

// max(bytes / 1228.8 GB/s, flops / 275 TFLOP/s), without a launch.
double roofline_us(const CsvRow& row) {
  const double seconds = row.number("measured_us") * 1e-6;
  const double bytes = row.number("gbps") * 1e9 * seconds, flops = row.number_or("tflops", 0) * 1e12 * seconds;
  return 1e6 * std::max(bytes / 1228.8e9, flops / 275e12);
}

double microseconds_of(const CsvRow& row, Session& chip) {
  const bool copied = row.text("hlo_kernel").starts_with("copy+");
  double cycles = 0;
  for (const TpuKernel& kernel :
       tpuv4_kernels(row.where(), row.text("op"), row.text("dims"), row.text("xla_window"), copied))
    cycles += static_cast<double>(measure_network(chip, kernel.graph, kernel.options).cycles);
  return cycles / chip.hardware().core_clock.megahertz();
}

SiliconCandidate kernel_candidate(const CsvRow& row) {
  const Family family = family_of(row);
  return {.family = family.name, .parameter = parameter_row(row), .limit = family.limit};
}

SiliconRow run_kernels(const CsvRow& row, Session& chip) {
  return {.name = name_of(row),
          .measured = row.number("measured_us"),
          .ours = microseconds_of(row, chip),
          .roofline = roofline_us(row)};
}

}  // namespace

ValidationReport validate_tpuv4(const std::string& csv_path, Session& chip, const SiliconSample& sample) {
  return validate_silicon(csv_path, sample,
                          {.title = "TPU v4 chip",
                           .reference = "measured, SCALE-Sim-validation 45818f1a7bbb",
                           .unit = "us",
                           .candidate = kernel_candidate,
                           .run = [&](const CsvRow& row) { return run_kernels(row, chip); }});
}

}  // namespace tilewright
