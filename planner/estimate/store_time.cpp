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

// What a reader's input `input` takes of the tensor.
std::vector<OperandAccess> read_by(const Plan& plan, const TensorReader& reader, std::size_t input, TensorId tensor) {
  std::vector<OperandAccess> accesses = reads_of(plan, reader.op, input);
  return reader.as == tensor ? accesses : accesses_by_part(plan, reader.as, accesses)[tensor];
}

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
    if (tensor.producer && !needs_no_instruction(plan, plan.graph.op(*tensor.producer)))
      add(id, writes_of(plan, *tensor.producer), false);
    for (const TensorReader& reader : readers_of(plan.graph, id)) {
      const Operator& op = plan.graph.op(reader.op);
      const auto inputs = needs_no_instruction(plan, op) ? std::vector<TensorId>{} : all_inputs(op);
      for (std::size_t input = 0; input < inputs.size(); ++input)
        if (inputs[input] == reader.as) add(id, read_by(plan, reader, input, id), true);
    }
  }
  return sum;
}

}  // namespace tilewright
