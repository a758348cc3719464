// One row of the tiling database: a shape, the tiling that was found for it, and what that was measured to cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/measure/measure.h"
#include "planner/measure/simulator_version.h"
#include "planner/search/database/shape_extents.h"

namespace tilewright {

// Of everything that makes two measurements comparable; records of another context never match.
struct TilingContext {
  std::string hardware;   // fingerprint of the resolved chip, 16 hex digits
  std::string simulator;  // simulator_version()
  Objective objective = Objective::kCycles;
  std::string layout = "row_major";  // of the operands in DRAM
  auto operator<=>(const TilingContext&) const = default;
};

TilingContext context_of(const Hardware& hardware, Objective objective);

enum class RecordKind : std::uint8_t { kInitial, kBoundary };
std::string_view name_of(RecordKind kind);  // "initial" "boundary"

struct TilingRecord {
  TilingContext context;
  OperatorShape shape;
  RecordKind kind = RecordKind::kInitial;
  std::string parent;  // boundary: text of the initial shape it was shrunk from
  std::string broke;   // boundary: the step that was not linear, e.g. "M 128 -> 64: size ratio 2, cost ratio 1.62"
  TilingPoint point;
  Cost cost;
  bool measured = true;     // else predicted
  Cycles bound_cycles = 0;  // roofline of the shape on the chip, rounded down
  // Per extent: cost of the shape with this extent doubled, same tiling, over (growth of the rounds x cost of the
  // shape); 1 is linear, 0 unknown (the doubled shape was not measured, or the tiling does not fit it). In millionths,
  // so that every machine writes the same text.
  std::vector<std::int64_t> growth_ppm;
  std::string settings;  // what it was built with: settings_of() its BuildOptions
};

// Order of records in exports and in ties: by key, then kind, then parent.
bool operator<(const TilingRecord& a, const TilingRecord& b);

// What tells records of one context apart: operator, dims, type, attributes, kind and parent, as their columns.
std::vector<std::string> key_texts(const TilingRecord& record);

// Columns of a record in their order, and the record as their texts: of exports, comparisons and the table itself.
const std::vector<std::string>& record_columns();
std::vector<std::string> record_texts(const TilingRecord& record);
// UserError naming `where` for texts that record_texts() did not make.
TilingRecord record_from_texts(const std::vector<std::string>& texts, const std::string& where);

}  // namespace tilewright
