#include "planner/ir/strategy.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"

namespace tilewright {
namespace {

bool same_subject(const StrategyRow& a, const StrategyRow& b) { return a.kind == b.kind && a.tensor == b.tensor; }

// What the table calls it: a product, however its weights are stored.
OpKind subject_of(OpKind kind) { return kind == OpKind::kMatMulNBits ? OpKind::kMatMul : kind; }

std::string memory_fault(const Store& store, const Hardware& hardware) {
  if (store.level == StoreLevel::kCore) return "'core' is where results inside a group stay: no strategy chooses it";
  const bool cluster = store.level == StoreLevel::kCluster;
  if (cluster && !hardware.cluster_memory) return fmt::format("'{}' has no cluster memory to store to", hardware.name);
  if (cluster && hardware.cluster_memory->addressed_capacity() == 0)
    return fmt::format("the cluster memory of '{}' is all cache: no program can store to it", hardware.name);
  const int there = cluster ? hardware.clusters : hardware.dram.regions;
  if (store.number <= there) return "";
  return fmt::format("got '{}', but '{}' has {} {}{}", to_text(store), hardware.name, there,
                     cluster ? "cluster" : "memor", cluster ? (there == 1 ? "" : "s") : (there == 1 ? "y" : "ies"));
}

}  // namespace

const StoreSwap& StrategyRow::on(const Hardware& hardware) const {
  static const StoreSwap nothing;
  // A memory that is all cache has no place for pieces.
  const bool has_memory = hardware.cluster_memory && hardware.cluster_memory->addressed_capacity() > 0;
  const std::optional<StoreSwap>& chosen = has_memory ? cache : bus;
  return chosen ? *chosen : nothing;
}

StrategyTable StrategyTable::overridden_by(const StrategyTable& over) const {
  std::vector<StrategyRow> rows = over.rows_;
  for (StrategyRow& row : rows) row.given = true;
  for (const StrategyRow& row : rows_)
    if (std::none_of(over.rows_.begin(), over.rows_.end(),
                     [&](const StrategyRow& other) { return same_subject(row, other); }))
      rows.push_back(row);
  return StrategyTable(std::move(rows));
}

bool StrategyTable::covers(OpKind kind) const {
  return std::any_of(rows_.begin(), rows_.end(), [&](const StrategyRow& row) { return row.kind == subject_of(kind); });
}

const StrategyRow* StrategyTable::find(OpKind kind, TensorRole tensor, char dimension, Parallel mode) const {
  for (const StrategyRow& row : rows_)
    if (row.kind == subject_of(kind) && row.tensor == tensor && row.modes[static_cast<int>(mode)] &&
        std::count(row.dimensions.begin(), row.dimensions.end(), dimension) > 0)
      return &row;
  return nullptr;
}

void StrategyTable::check(const Hardware& hardware) const {
  for (const StrategyRow& row : rows_) {
    const std::string fault = memory_fault(row.on(hardware).store, hardware);
    if (!fault.empty()) throw UserError(row.where, "store: " + fault);
  }
}

}  // namespace tilewright
