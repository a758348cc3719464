#include "validation/a100.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/search/tiling/plan_network.h"
#include "sim/base/csv.h"
#include "validation/library_gemm.h"

namespace tilewright {
namespace {

constexpr FamilyLimit kA100Limit{20};
// The shortest row, from which the launch comes, and the longest, from which the arrays' rate comes.
constexpr const char *kShortest = "1x128x32", *kLongest = "8192x10240x65536";
// More takes minutes.
constexpr double kLargeFlops = 2e10, kLargeBytes = 48e6;

struct Product {
  std::int64_t m, n, k;
  double flops() const { return 2 * area(m, n) * static_cast<double>(k); }
  double bytes() const { return 2 * (area(m, k) + area(n, k) + area(m, n)); }
  std::string name() const { return fmt::format("{}x{}x{}", m, n, k); }

  static double area(std::int64_t a, std::int64_t b) { return static_cast<double>(a) * static_cast<double>(b); }
};

Product product_of(const CsvRow& row) { return {row.count("M"), row.count("N"), row.count("K")}; }

SiliconCandidate a100_candidate(const CsvRow& row) {
  const Product product = product_of(row);
  const bool parameter = product.name() == kShortest || product.name() == kLongest;
  const bool large = product.flops() > kLargeFlops || product.bytes() > kLargeBytes;
  return {"a100 " + row.text("bound") + "-bound", parameter, large, kA100Limit};
}

double product_microseconds(const Product& product, Session& chip) {
  double cycles = 0;
  for (const LibraryKernel& kernel : library_kernels(chip.hardware(), product.m, product.n, product.k))
    cycles += static_cast<double>(measure_network(chip, kernel.graph, kernel.options).cycles);
  return cycles / chip.hardware().core_clock.megahertz();
}

SiliconRow run_product(const CsvRow& row, Session& chip) {
  const Product product = product_of(row);
  return {.name = product.name(),
          .measured = row.number("measured_us"),
          .ours = product_microseconds(product, chip),
          .roofline = 1e6 * std::max(product.bytes() / 2039e9, product.flops() / 312e12)};
}

}  // namespace

ValidationReport validate_a100(const std::string& csv_path, Session& chip, const SiliconSample& sample) {
  return validate_silicon(csv_path, sample,
                          {.title = "A100",
                           .reference = "measured, aiconfigurator 095f58a51c4c",
                           .unit = "us",
                           .candidate = a100_candidate,
                           .run = [&](const CsvRow& row) { return run_product(row, chip); }});
}

}  // namespace tilewright
