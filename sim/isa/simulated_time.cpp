#include "sim/isa/simulated_time.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "sim/base/error.h"
#include "sim/isa/unit_time.h"

namespace tilewright {
namespace {

constexpr double kMostMacs = 0x1p62;

template <typename Array>
double real_product(const Array& extents) {
  return std::accumulate(extents.begin(), extents.end(), 1.0, std::multiplies<double>());
}

double macs_of(const Matmul& matmul) {
  return real_product(matmul.m) * real_product(matmul.n) * real_product(matmul.k);
}

// As array_time() counts, every quotient rounded up to the next whole number and one more.
double matmul_at_most(const MatmulSpec& spec, const Matmul& matmul) {
  const double m = real_product(matmul.m), k = real_product(matmul.k);
  const auto images = static_cast<double>(matmul.n[0]);
  const double n = real_product(matmul.n) / images * (images + spec.image_granule - 1);
  const auto folds = [&](double down, double across) { return (down / spec.rows + 1) * (across / spec.columns + 1); };
  const double kernel = spec.pack_kernel ? 1 : static_cast<double>(matmul.k[1]) * static_cast<double>(matmul.k[2]);
  const bool outputs_stay = spec.dataflow == Dataflow::kOutputStationary;
  const double blocks = outputs_stay          ? folds(m, n)
                        : matmul.a_stationary ? kernel * folds(k / kernel, m)
                                              : kernel * folds(k / kernel, n);
  const double stream = outputs_stay ? k : matmul.a_stationary ? n : m;
  const double run = static_cast<double>(matmul.a_stationary ? matmul.n.back() : matmul.m.back());
  const double rate = spec.rate[static_cast<int>(matmul.type)];
  const auto least = static_cast<double>(spec.block_cycles_min);
  const double block = (stream + 1) / rate + (stream / run + 1) * (least + 1) + 2.0 * spec.rows + spec.columns;
  const double converted = spec.fp16_elements_per_cycle == 0 ? 0 : (m + n) * k / spec.fp16_elements_per_cycle + 1;
  return (blocks / spec.arrays + 1) * block + converted + static_cast<double>(spec.issue_cycles);
}

double vector_at_most(const VectorSpec& spec, const Vector& vector) {
  const double elements = real_product(vector.shape);
  const double each = is_reduction(vector.op) ? spec.reduction_cycles : 0;
  const int passes = passes_of(spec, vector.op) + 2 * spec.fp16_load_passes + spec.fp16_store_passes;
  return static_cast<double>(spec.issue_cycles) + elements * passes / spec.lanes + 2 + elements * each;
}

}  // namespace

double longest_cycles(const CoreSpec& core, const Instruction& instruction) {
  if (const auto* matmul = std::get_if<Matmul>(&instruction.payload)) return matmul_at_most(core.matmul, *matmul);
  if (const auto* vector = std::get_if<Vector>(&instruction.payload)) return vector_at_most(core.vector, *vector);
  return 0;
}

void check_simulated_time(const std::string& where, const Program& program, const Hardware& hardware) {
  double macs = 0;
  for (std::size_t core = 0; core < program.cores.size(); ++core) {
    double cycles = 0;
    for (const Instruction& instruction : program.cores[core].instructions) {
      cycles += longest_cycles(hardware.core_of(static_cast<int>(core)), instruction);
      if (const auto* matmul = std::get_if<Matmul>(&instruction.payload)) macs += macs_of(*matmul);
    }
    const double picoseconds = cycles * static_cast<double>(hardware.core_clock.period_ps);
    if (picoseconds > static_cast<double>(kLongestRun))
      throw UserError(
          where, fmt::format("the instructions of core {} take up to {:.2g} s of simulated time, a run {:g} s", core,
                             picoseconds / 1e12, static_cast<double>(kLongestRun) / 1e12));
  }
  if (macs > kMostMacs) throw UserError(where, fmt::format("has {:.2g} multiply-adds, at most 2^62 are counted", macs));
}

}  // namespace tilewright
