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

// Of operators that read a tensor, or a whole of which it is a part, what they read of it.
class Reads {
 public:
  Reads(const Plan& plan, TensorId tensor) : plan_(plan), tensor_(tensor) {}

  template <typename Visit>
  void each(const Visit& visit) const {
    for (const OperatorId consumer : plan_.graph.tensor(tensor_).consumers) {
      const Operator& op = plan_.graph.op(consumer);
      if (!needs_no_instruction(plan_, op)) each_of(consumer, tensor_, visit);
      if (op.kind != OpKind::kConcat || !lies_in_parts(op)) continue;
      for (const OperatorId reader : plan_.graph.tensor(op.output).consumers) each_of(reader, op.output, visit);
    }
  }

 private:
  template <typename Visit>
  void each_of(OperatorId reader, TensorId read, const Visit& visit) const {
    const auto inputs = all_inputs(plan_.graph.op(reader));
    for (std::size_t input = 0; input < inputs.size(); ++input)
      if (inputs[input] == read) visit(own_part(read, reads_of(plan_, reader, input)));
  }

  std::vector<OperandAccess> own_part(TensorId read, std::vector<OperandAccess> accesses) const {
    if (read == tensor_) return accesses;
    std::vector<OperandAccess> own;
    for (const OperandAccess& access : accesses)
      for (PartOfBox& part : parts_of_box(plan_, read, access.box))
        if (part.tensor == tensor_) own.push_back({access.core, std::move(part.box), access.times});
    return own;
  }

  const Plan& plan_;
  const TensorId tensor_;
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
    if (tensor.producer && !needs_no_instruction(plan, plan.graph.op(*tensor.producer)))
      add(id, writes_of(plan, *tensor.producer), false);
    Reads(plan, id).each([&](const std::vector<OperandAccess>& accesses) { add(id, accesses, true); });
  }
  return sum;
}

}  // namespace tilewright
