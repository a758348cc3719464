#include "planner/search/database/random_shapes.h"

#include <array>
#include <set>
#include <string>

#include "sim/base/error.h"
#include "sim/base/random.h"
#include "sim/base/units.h"

namespace tilewright {
namespace {

class ShapeDice : public SplitMix64 {
 public:
  using SplitMix64::SplitMix64;

  bool one_in(std::int64_t n) { return below(n) == 0; }
  template <std::size_t N>
  std::int64_t of(const std::array<std::int64_t, N>& list) {
    return list[static_cast<std::size_t>(below(N))];
  }
  // About as many in each power of two from 2^low to 2^high.
  std::int64_t size(int low, int high) {
    const std::int64_t floor = std::int64_t{1} << (low + below(high - low));
    const std::int64_t granule = of(std::array<std::int64_t, 8>{64, 64, 64, 32, 32, 32, 16, 1});
    return round_up(floor + below(floor), granule);
  }
};

OperatorShape draw_matmul(ShapeDice& random) {
  OperatorShape shape{.kind = OperatorShape::Kind::kMatMul};
  const std::int64_t batch = random.one_in(5) ? 2 + random.below(15) : 1;
  shape.dims = {batch, random.size(5, 12), random.size(5, 12), random.size(5, 12)};
  shape.b_constant = batch == 1;
  return shape;
}

OperatorShape draw_conv(ShapeDice& random) {
  const std::int64_t images = random.of(std::array<std::int64_t, 4>{1, 1, 2, 4});
  const std::int64_t side =
      random.one_in(4) ? 5 + random.below(108) : random.of(std::array<std::int64_t, 5>{7, 14, 28, 56, 112});
  const std::int64_t kernel = random.of(std::array<std::int64_t, 8>{1, 1, 1, 1, 3, 3, 3, 5});
  const std::int64_t stride = random.one_in(4) ? 2 : 1, channels = random.size(4, 10);
  OperatorShape shape{.kind = OperatorShape::Kind::kConv};
  const bool depthwise = kernel > 1 && random.one_in(4);
  shape.dims = {images, side, side, channels, depthwise ? channels : random.size(4, 10), kernel, kernel, stride};
  if (depthwise) shape.groups = channels;
  return shape;
}

}  // namespace

std::vector<OperatorShape> random_shapes(std::size_t count, std::uint64_t seed, const ShapeRange& range) {
  constexpr std::int64_t kMaxTries = 100'000;
  if (range.min_macs > range.max_macs) throw UserError("", "the smallest number of multiply-adds is above the largest");
  ShapeDice random(seed);
  std::vector<OperatorShape> shapes;
  std::set<std::string> known;
  for (std::int64_t tries = 0; shapes.size() < count; ++tries) {
    if (tries > kMaxTries + 1000 * static_cast<std::int64_t>(count))
      throw UserError("", "too few shapes have that many multiply-adds");
    OperatorShape shape = random.one_in(2) ? draw_conv(random) : draw_matmul(random);
    shape.type = range.type;
    const std::int64_t macs = macs_of(shape), least = shape.groups > 1 ? range.min_macs / 16 : range.min_macs;
    if (macs < least || macs > range.max_macs || !known.insert(to_string(shape)).second) continue;
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace tilewright
