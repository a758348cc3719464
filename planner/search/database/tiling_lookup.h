// Which record of a tiling database serves a shape, and the cost that follows from it: a prediction, by the rule of
// three over the rounds of its loops.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "planner/constants/constants.h"
#include "planner/search/database/tiling_record.h"

namespace tilewright {

// The four steps in their order.
enum class MatchKind : std::uint8_t { kInitialSame, kBoundarySame, kInitialMultiple, kBoundaryMultiple };
inline constexpr int kMatchKindCount = 4;
std::string_view name_of(MatchKind kind);  // "initial", "boundary", "multiple of initial", "multiple of boundary"

struct LookupOptions {
  double max_padding =
      constants().database_max_padding;  // most padded work, as a share of the shape's own, for a record to serve it
  // The linear region: how far these may carry the cost off together: rounds that are not full, of the shape or of the
  // record (padding is one cause); unequal growth; and extrapolation.
  double region_tolerance = constants().database_region_tolerance;
  // What each doubling of the rounds beyond the first adds to that. Growth was measured by doubling one extent at a
  // time; the further a shape is from its record, and the more extents have grown at once, the less that foretells.
  double extrapolation = constants().database_extrapolation;
};

struct Hit {
  const TilingRecord* record = nullptr;
  MatchKind match = MatchKind::kInitialSame;
  ShapeExtents padded;  // what is counted: extents of the query, rounded up to the granules where they are no multiple
  double rounds = 1;    // a' / a
  double padding = 0;   // padded size over the query's, minus 1
  double cycles = 0, energy_pj = 0;  // predicted: those of the record times `rounds`
  // Predicted linearity: what the cost is expected to be over the predicted one, from the record's measured growth; 0
  // where the growth in an extent that grows is unknown.
  double linearity = 1;
  bool linear = true;  // in the linear region (LookupOptions)
  double value(Objective objective) const;
};

// a' / a = product over the extents of ceil(query / granule) / ceil(entry / granule).
double rounds_ratio(const ShapeExtents& query, const ShapeExtents& entry, const ShapeExtents& granules);

// `query` with every extent that is no multiple of the entry's padded up to the entry's granule; nothing when an extent
// is then still no whole multiple of the entry's.
std::optional<ShapeExtents> pad_to_multiple(const ShapeExtents& query, const ShapeExtents& entry,
                                            const ShapeExtents& granules);

// Whether a shape can be run with a record's tiling; empty: not asked.
using Fits = std::function<bool(const TilingRecord& record)>;
// Whether operator `op` of `graph`, computed in `type`, can on this chip. Keeps references.
Fits fitting(const Graph& graph, OperatorId op, const Hardware& hardware, DataType type);

// The records of one context, ready to be asked.
class TilingIndex {
 public:
  // Records of other contexts are left out.
  TilingIndex(std::vector<TilingRecord> records, const TilingContext& context);

  // First hit of the four steps; of several, the lowest predicted cost, ties in the order of the records. Records that
  // do not fit are no hits.
  std::optional<Hit> lookup(const OperatorShape& shape, const LookupOptions& options = {}, const Fits& fits = {}) const;

  const std::vector<TilingRecord>& records() const { return records_; }

 private:
  struct Entry {
    const TilingRecord* record;
    ShapeExtents extents, granules;
  };
  std::optional<Hit> try_entry(const Entry& entry, MatchKind match, const OperatorShape& shape,
                               const ShapeExtents& extents, const LookupOptions& options) const;

  Objective objective_;
  std::vector<TilingRecord> records_;
  std::map<std::string, std::vector<Entry>> families_;
};

}  // namespace tilewright
