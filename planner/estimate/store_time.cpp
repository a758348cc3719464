#include "planner/estimate/store_time.h"

#include <algorithm>
#include <map>

#include "planner/constants/constants.h"
#include "planner/estimate/bandwidth.h"
#include "planner/estimate/operand_access.h"
#include "planner/ir/in_place.h"
#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

// What the accesses of one operator take.
class AccessTime {
 public:
  AccessTime(const Plan& plan, TensorId tensor, std::size_t cores)
      : hardware_(plan.hardware),
        element_(bytes_of(plan.tensors[tensor].type)),
        spread_(plan, tensor, Spread::Homes::kClusters),
        share_(bandwidth_share(plan.hardware, static_cast<int>(cores))) {}

  // What cores of a cluster read alike comes from DRAM once where their loads are shared.
  double in_dram(const std::vector<OperandAccess>& accesses, bool read) const {
    std::map<int, double> bytes, cores;  // by cluster
    for (auto access = accesses.begin(); access != accesses.end(); ++access) {
      const int cluster = hardware_.cluster_of(access->core);
      const bool had = std::any_of(accesses.begin(), access, [&](const OperandAccess& before) {
        return hardware_.cluster_of(before.core) == cluster && before.box == access->box;
      });
      ++cores[cluster];
      if (!had || !read || !hardware_.shares_loads())
        bytes[cluster] += static_cast<double>(element_count(access->box)) * element_ * access->times;
    }
    double slowest = 0;
    for (const auto& [cluster, moved] : bytes) slowest = std::max(slowest, moved / (share_ * cores[cluster]));
    return slowest;
  }

  double in_clusters(const std::vector<OperandAccess>& accesses) const {
    std::vector<double> taken(hardware_.clusters, 0), given(hardware_.clusters, 0);  // over the network
    double slowest = 0;
    for (const OperandAccess& access : accesses) {
      const int own = hardware_.cluster_of(access.core);
      const std::vector<double> elements = spread_.of(access.box);
      double remote = 0;
      for (int cluster = 0; cluster < hardware_.clusters; ++cluster) {
        const double bytes = elements[cluster] * element_ * access.times;
        if (cluster == own) slowest = std::max(slowest, bytes / cluster_memory_share(hardware_));
        if (cluster != own) remote += bytes, given[cluster] += bytes;
      }
      taken[own] += remote;
    }
    for (const auto& bytes : {taken, given})
      slowest = std::max(
          slowest, *std::max_element(bytes.begin(), bytes.end()) * constants().peer_memory_cost / peer_peak(hardware_));
    return slowest;
  }

 private:
  const Hardware& hardware_;
  const double element_;
  const Spread spread_;
  const double share_;
};

}  // namespace

StoreTime store_time(const Plan& plan, TensorId storage) {
  StoreTime sum;
  const auto add = [&](TensorId tensor, const std::vector<OperandAccess>& accesses, bool read) {
    if (accesses.empty()) return;
    const AccessTime time(plan, tensor, accesses.size());
    sum.dram += time.in_dram(accesses, read);
    sum.cluster += time.in_clusters(accesses);
  };
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id) {
    if (storage_of(plan, id) != storage) continue;
    const Tensor& tensor = plan.graph.tensor(id);
    const auto works = [&](OperatorId op) { return !needs_no_instruction(plan, plan.graph.op(op)); };
    if (tensor.producer && works(*tensor.producer)) add(id, writes_of(plan, *tensor.producer), false);
    for (const OperatorId consumer : tensor.consumers) {
      const auto inputs = works(consumer) ? all_inputs(plan.graph.op(consumer)) : std::vector<TensorId>{};
      for (std::size_t input = 0; input < inputs.size(); ++input)
        if (inputs[input] == id) add(id, reads_of(plan, consumer, input), true);
    }
  }
  return sum;
}

}  // namespace tilewright
