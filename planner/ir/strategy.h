// Split strategies: which dimensions of which operator's tensors may be cut, in order of priority, where the pieces go
// and who else needs them. A table that users can override; the default is planner/passes/split/strategies.yaml.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "planner/ir/label.h"
#include "sim/hw/config/hardware.h"

namespace tilewright {

// data: cores take different samples. model: cores take parts of one operator. hybrid: samples between clusters, parts
// of an operator inside one. free: any dimension of every operator, whichever is predicted to be fastest.
enum class Parallel : std::uint8_t { kData, kModel, kHybrid, kFree };
inline constexpr std::array<std::string_view, 4> kParallelNames{"data", "model", "hybrid", "free"};

enum class TensorRole : std::uint8_t { kInputNeuron, kInputWeight, kOutputNeuron };

struct StoreSwap {
  Store store;
  std::optional<Swap> swap;            // nothing: what is needed
  std::optional<Reduction> reduction;  // nothing: what is predicted to be fastest
  bool operator==(const StoreSwap&) const = default;
};

struct StrategyRow {
  OpKind kind = OpKind::kIdentity;
  TensorRole tensor = TensorRole::kInputNeuron;
  std::vector<char> dimensions;                       // by priority
  std::array<bool, 4> modes{true, true, true, true};  // by Parallel
  std::optional<std::int64_t> pieces;
  std::optional<StoreSwap> cache, bus;  // clusters with a memory of their own, and without
  std::string where;                    // file:line, for messages
  bool given = false;                   // by a user's table: what cannot be had is refused

  const StoreSwap& on(const Hardware& hardware) const;
};

class StrategyTable {
 public:
  // Rows in the order of the file.
  explicit StrategyTable(std::vector<StrategyRow> rows = {}) : rows_(std::move(rows)) {}
  // Rows of `over`, a user's table, replace all rows here for the same operator and tensor.
  StrategyTable overridden_by(const StrategyTable& over) const;

  const std::vector<StrategyRow>& rows() const { return rows_; }
  bool covers(OpKind kind) const;
  // The first row that names the dimension, in this mode; null: none.
  const StrategyRow* find(OpKind kind, TensorRole tensor, char dimension, Parallel mode) const;
  // UserError naming the row when the chip lacks the memory or cluster that it names.
  void check(const Hardware& hardware) const;

 private:
  std::vector<StrategyRow> rows_;
};

// UserError listing every problem with its line.
StrategyTable read_strategies(const std::string& path);
StrategyTable read_strategies_text(const std::string& text, const std::string& name);
const StrategyTable& default_strategies();

}  // namespace tilewright
