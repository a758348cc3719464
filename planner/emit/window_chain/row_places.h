// Where the rows of a step's input lie in an area that holds fewer of them than the part has. Each block of rows
// follows the one before it, of which it keeps what its first windows still cover; at the end of the area it starts
// again from the beginning, and what it keeps is moved there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/ir/range.h"

namespace tilewright {

// Rows of the input, those of padding included, that a block covers; empty: it makes nothing.
struct RowNeed {
  std::int64_t image = 0;
  Range rows;
};

struct RowPlace {
  Range rows;
  std::int64_t at = 0;       // of rows.begin in the area
  std::int64_t kept = 0;     // of the first rows: they came with the block before
  std::int64_t kept_at = 0;  // where it left them

  bool moves() const { return kept > 0 && kept_at != at; }
  // Those that come with this block.
  Range fresh() const { return {rows.begin + kept, rows.end}; }
  std::int64_t position(std::int64_t row) const { return at + row - rows.begin; }
};

// One for each need. A block may be filled while the one before it is still read: the two never meet. Nothing when the
// area is too short for that.
std::optional<std::vector<RowPlace>> place_rows(const std::vector<RowNeed>& needs, std::int64_t length);

// The shortest area, and one in which nothing moves.
std::int64_t least_length(const std::vector<RowNeed>& needs);
std::int64_t whole_length(const std::vector<RowNeed>& needs);

}  // namespace tilewright
