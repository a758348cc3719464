// Which record of a tiling database serves a shape, and the cost that follows from it: a prediction, by the rule of
// three over the rounds of its loops.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "planner/constants/constants.h"
#include "planner/search/database/placed_records.h"
#include "planner/search/database/tiling_transfer.h"

namespace tilewright {

// The four steps in their order.
enum class MatchKind : std::uint8_t { kInitialSame, kBoundarySame, kInitialMultiple, kBoundaryMultiple };
inline constexpr int kMatchKindCount = 4;
std::string_view name_of(MatchKind kind);  // "initial", "boundary", "multiple of initial", "multiple of boundary"

struct LookupOptions {
  double max_padding =
      constants().database_max_padding;  // most padded work, as a share of the shape's own, for a record to serve it
  std::int64_t candidates = constants().database_candidates;  // looked at with the model of time
  bool predict = true;  // of a hit on a chip: the cost by the queue model (lookup_on())
  // The linear region: how far the two predictions (Hit) may lie apart, and how far these may carry the cost off
  // together: rounds that are not full, of the shape or of the record (padding is one cause); unequal growth; and
  // extrapolation.
  double region_tolerance = constants().database_region_tolerance;
  // What each doubling of the rounds beyond the first adds to that. Growth was measured by doubling one extent at a
  // time; the further a shape is from its record, and the more extents have grown at once, the less that foretells.
  double extrapolation = constants().database_extrapolation;
};

// In core clocks of the chip and picojoules.
struct PredictedCost {
  double cycles = 0, energy_pj = 0;
  double value(Objective objective) const;
};

struct Hit {
  std::shared_ptr<const TilingRecord> record;
  MatchKind match = MatchKind::kInitialSame;
  ShapeExtents padded;  // what is counted: extents of the query, rounded up to the granules where they are no multiple
  double rounds = 1;    // a' / a
  double padding = 0;   // padded size over the query's, minus 1
  PredictedCost proportional;  // the record's times `rounds`
  // The record's with its time times what the planner's model of time makes of the other size
  // (TilingTransfer::growth()), or the queue model (hit_prediction.h), and what energy static power draws meanwhile;
  // `proportional` without a chip to ask.
  PredictedCost predicted;
  bool by_queue_model = false;
  // How far predicted.cycles may be off, as a share of the measured ones; how often it holds: docs/tiling_database.md.
  double error_bound = 0;
  std::optional<double> energy_error_bound;  // of predicted.energy_pj alike, by the queue model
  // Linearity: what the cost is expected to be over the proportional one, from the record's measured growth; 0
  // where the growth in an extent that grows is unknown.
  double linearity = 1;
  bool linear = true;  // in the linear region (LookupOptions)
  // For those who must not lose: what the queue model predicts, else the dearer of the two.
  double expected(Objective objective) const {
    if (by_queue_model) return predicted.value(objective);
    return std::max(proportional.value(objective), predicted.value(objective));
  }
  // How far the predicted figure that is to be small may be off; nothing where no bound is known.
  std::optional<double> bound(Objective objective) const;
};

// a' / a = product over the extents of ceil(query / granule) / ceil(entry / granule).
double rounds_ratio(const ShapeExtents& query, const ShapeExtents& entry, const ShapeExtents& granules);

// `query` with every extent that is no multiple of the entry's padded up to the entry's granule; nothing when an extent
// then has fewer rounds than the entry's.
std::optional<ShapeExtents> pad_to_granules(const ShapeExtents& query, const ShapeExtents& entry,
                                            const ShapeExtents& granules);

// The records of one context, asked by shape. What a look-up reads does not grow with their number.
class TilingIndex {
 public:
  TilingIndex(std::shared_ptr<const TilingDatabase> database, const TilingContext& context);
  // Of records that no file keeps; those of other contexts are left out.
  TilingIndex(const std::vector<TilingRecord>& records, const TilingContext& context);

  bool empty() const { return records_.empty(); }

  // First hit of the four steps. Of the candidates of a step that fit, the LookupOptions::candidates with the lowest
  // predicted cost are looked at, and the one that is expected to take least is the hit. Without `transfer` everything
  // fits and the lowest predicted cost decides.
  std::optional<Hit> lookup(const OperatorShape& shape, const LookupOptions& options = {},
                            const TilingTransfer* transfer = nullptr) const;

 private:
  struct Query;
  std::optional<Hit> first_hit(const Query& query) const;
  std::vector<Hit> same(const Query& query, MatchKind match) const;
  std::vector<Hit> multiples(const Query& query, MatchKind match) const;

  const Objective objective_;
  const PlacedRecords records_;
};

// The same for a shape on a chip, which decides what fits and, with LookupOptions::predict, what the queue model
// predicts.
std::optional<Hit> lookup_on(const TilingIndex& index, const OperatorShape& shape, const Hardware& hardware,
                             const LookupOptions& options = {});

}  // namespace tilewright
