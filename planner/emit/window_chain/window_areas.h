// Where a chain's rows, weights and results lie in a core's buffers.
#pragma once

#include <optional>
#include <vector>

#include "planner/emit/epilogue_lowering.h"
#include "planner/emit/window_chain/row_places.h"
#include "planner/emit/window_chain/window_chain.h"
#include "planner/estimate/contraction_unit.h"

namespace tilewright {

// A step's input in buffer B: channels, in each rows, of which not all are there at a time, in each columns with those
// of padding.
struct InputArea {
  Address base = 0;
  std::int64_t channels = 0, length = 0, columns = 0;  // length: rows
  std::int64_t pad_columns = 0;                        // before the first
  Bytes element = 0;
  std::vector<RowPlace> places;  // by visit

  Bytes bytes() const { return channels * channel_stride(); }
  Bytes channel_stride() const { return length * row_stride(); }
  Bytes row_stride() const { return columns * element; }
  Address at(std::int64_t channel, std::int64_t position, std::int64_t column) const {
    return base + channel * channel_stride() + position * row_stride() + column * element;
  }
};

struct WindowAreas {
  struct Step {
    InputArea input;
    std::int64_t tile_units = 0, tile_rows = 0;  // of its result at a time (WindowStep::units())
    TileUnit unit;                               // of what computes the multiply-adds
    // Tiles of weights in buffer A: all of them where they fit, so that each is loaded once, else two in turn. A pool
    // has none.
    Address weights = 0;
    Bytes weight_bytes = 0;  // of a tile
    int weight_tiles = 0;
    Address factors = 0;  // of the weights, in buffer A
    Bytes factor_bytes = 0;
    EpilogueAreas epilogue;
  };
  std::vector<Step> steps;
  // Tiles of all results take turns in the accumulate buffer.
  Address results = 0;
  Bytes result_bytes = 0;
  int result_tiles = 0;
};

// Nothing when a core has no room for blocks of `rows` rows of the last result.
std::optional<WindowAreas> window_areas(const WindowChain& chain, std::int64_t rows);

}  // namespace tilewright
