#include "planner/emit/chain/row_sums.h"

#include "planner/emit/chain/chain_areas.h"

namespace tilewright {
namespace {

// That a step computes of its result.
std::int64_t elements_of(const Chain& chain, const ChainBlocks& blocks, std::size_t step) {
  std::int64_t elements = 0;
  for (const ChainVisit& visit : chain.visits(blocks))
    elements += visit.rows.size() * (chain.in_head(step) ? visit.columns.size() : chain.steps()[step].part->shape().n);
  return elements;
}

}  // namespace

Matmul row_sums(const ArrayView& rows, const std::array<std::int64_t, 2>& extents, Address one, Address sums,
                bool accumulate) {
  constexpr int kLast = kMatmulDims - 1;
  Matmul matmul{.type = rows.type, .accumulate = accumulate};
  matmul.m[kLast] = extents[0];
  matmul.k[kLast] = extents[1];
  matmul.a = {Space::kBufferA, rows.address, {}, {}};
  matmul.a.row_stride[kLast] = rows.stride[0];
  matmul.a.column_stride[kLast] = rows.stride[1];
  matmul.b = {Space::kBufferB, one, {}, {}};
  matmul.c = {Space::kAccumulator, sums, {}, {}};
  matmul.c.row_stride[kLast] = bytes_of(DataType::kFp32);
  return matmul;
}

std::int64_t macs_of_row_sums(const Plan& plan) {
  std::int64_t macs = 0;
  for_each_chain(plan, [&](const Chain& chain, const ChainBlocks& blocks) {
    const ChainAreas areas = chain_areas(chain, blocks).value();
    for (std::size_t step = 0; step < areas.size(); ++step)
      if (areas[step].one) macs += elements_of(chain, blocks, step);
  });
  return macs;
}

}  // namespace tilewright
