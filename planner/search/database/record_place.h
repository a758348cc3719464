// Where a record stands among the others, so that a look-up reads few of them: by family, by the rough sizes of its
// extents, and by its cost per unit of work, cheapest first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "planner/search/database/tiling_record.h"

namespace tilewright {

struct RecordPlace {
  std::string family;  // family_of() its shape
  std::string cell;    // cell_of() its extents
  ShapeExtents extents, granules;
  // Value of the objective per unit of padded work, times 10^12, rounded down: rate_bound() of it is never above what
  // the record predicts.
  std::int64_t rate = 0;
};

RecordPlace place_of(const TilingRecord& record);

// One letter per extent, 'a' for 1 to 3, 'b' for 4 to 15, each letter four times the one before.
std::string cell_of(const ShapeExtents& extents);
// Whether every extent of `cell` may be as small as that of `other`: no letter is a later one.
bool within(const std::string& cell, const std::string& other);

// A bound from below on the predicted value of a shape of `size` (size_of()) by a record of this rate.
double rate_bound(std::int64_t rate, double size, Objective objective);

// Columns behind those of a record; a record and its place as a row of the table.
const std::vector<std::string>& place_columns();
std::vector<std::string> row_texts(const TilingRecord& record);
// UserError naming `where` for texts that row_texts() did not make.
TilingRecord record_from_row(const std::vector<std::string>& texts, const std::string& where);

// Of "1_64_64_64", into `extents`; UserError naming `where` for text that is none.
void read_extents(std::string_view text, const std::string& where, ShapeExtents& extents);

}  // namespace tilewright
