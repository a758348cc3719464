// What the cores of an operator move of its tensors, and in whose memory that lies.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "planner/ir/access.h"
#include "planner/ir/storage_order.h"

namespace tilewright {

// What one core moves.
struct OperandAccess {
  int core = 0;
  BoxRange box;
  double times = 1;  // that it moves it
};

// The parts of the operator's output, each once: of partial results the first core of a box writes the sum.
std::vector<OperandAccess> writes_of(const Plan& plan, OperatorId id);
// Input `input` as its parts read it; a product reads it as often as its tilings say, where it has some.
std::vector<OperandAccess> reads_of(const Plan& plan, OperatorId id, std::size_t input);

// Accesses to a whole that lies in its parts, as those to each part.
std::map<TensorId, std::vector<OperandAccess>> accesses_by_part(const Plan& plan, TensorId whole,
                                                                const std::vector<OperandAccess>& accesses);

// By home, elements of boxes of a placed tensor that lie there.
class Spread {
 public:
  enum class Homes : std::uint8_t { kRegions, kClusters };
  Spread(const Plan& plan, TensorId tensor, Homes homes);

  std::vector<double> of(const BoxRange& box) const;

 private:
  void add(const BoxRange& box, std::vector<double>& elements) const;

  const Homes homes_;
  const std::size_t count_;
  std::optional<StorageOrder> order_;
  PlacedView view_;
};

}  // namespace tilewright
