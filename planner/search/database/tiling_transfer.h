// What a chip says of a record's tiling on another operator: whether it can run it, and how many times the record's
// cycles it should take by the planner's model of time.
#pragma once

#include "planner/search/database/tiling_record.h"
#include "planner/search/tiling/tiling_model.h"

namespace tilewright {

class TilingTransfer {
 public:
  // Operator `op`, of this shape and computed in its type, of a plan with types (typed_plan()), which must outlive it.
  TilingTransfer(const Plan& plan, OperatorId op, const OperatorShape& shape);
  TilingTransfer(const TilingTransfer&) = delete;
  TilingTransfer& operator=(const TilingTransfer&) = delete;

  bool fits(const TilingRecord& record) const;
  const Hardware& chip() const { return plan_.hardware; }
  // Predicted core clocks of the operator over those of the record's shape, both with the record's tiling, which fits.
  double growth(const TilingRecord& record) const;
  // Predicted core clocks of the operator with this point.
  double cycles(const TilingPoint& point) const;

 private:
  const Plan& plan_;
  const OperatorId op_;
  mutable TilingPrediction prediction_;  // of the operator alone, as records were measured; it remembers parts
};

// The record's energy with what is switched `rounds` times as often, and static power for `growth` times as long.
double transferred_energy_pj(const Hardware& chip, const TilingRecord& record, double rounds, double growth);

}  // namespace tilewright
