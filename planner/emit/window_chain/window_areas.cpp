#include "planner/emit/window_chain/window_areas.h"

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/ir/abreast.h"
#include "planner/ir/access.h"
#include "planner/ir/window_region.h"

namespace tilewright {
namespace {

Bytes aligned(Bytes bytes) { return round_up(bytes, constants().buffer_alignment); }

// Of each tile of all results, copies: while one is computed, others are finished and stored.
constexpr int kMostTiles = 4, kLeastTiles = 2;

class WindowLayout {
 public:
  WindowLayout(const WindowChain& chain, std::int64_t rows)
      : chain_(chain), core_(chain.plan().hardware.core), visits_(chain.visits(rows)) {
    for (std::size_t step = 0; step < chain.steps().size(); ++step) needs_.push_back(needs_of(step));
  }

  std::optional<WindowAreas> run() {
    areas_.steps.resize(chain_.steps().size());
    for (const WindowStep& step : chain_.steps()) most_units_.push_back(step.units());
    if (!place_inputs()) return std::nullopt;
    do {
      if (!place_tiles(kMostTiles) && !place_tiles(kLeastTiles)) return std::nullopt;
      if (place_weights()) return std::move(areas_);
    } while (halve_widest());
    return std::nullopt;
  }

 private:
  const WindowStep& step_at(std::size_t step) const { return chain_.steps()[step]; }

  std::vector<RowNeed> needs_of(std::size_t step) const {
    std::vector<RowNeed> needs;
    for (const WindowVisit& visit : visits_)
      needs.push_back({visit.image.begin, chain_.needed(step, visit.made[step])});
    return needs;
  }
  std::int64_t most_rows(std::size_t step) const {
    std::int64_t most = 1;
    for (const WindowVisit& visit : visits_) most = std::max(most, visit.made[step].size());
    return most;
  }

  // The largest tile of a step's result of at most `budget` bytes: all rows of a visit while as many channels as the
  // array takes at a time fit, then as many channels as do.
  bool cut_tiles(std::size_t step, Bytes budget) {
    const WindowStep& at = step_at(step);
    WindowAreas::Step& area = areas_.steps[step];
    const std::int64_t block = at.grouped() ? 1 : std::min<std::int64_t>(at.units(), at.limits.block_size_m);
    const Bytes row = at.box[3].size() * at.channels_per_unit() * at.limits.acc_element;
    area.tile_rows = most_rows(step);
    while (area.tile_rows > 1 && block * area.tile_rows * row > budget)
      area.tile_rows = ceil_div(area.tile_rows, std::int64_t{2});
    const std::int64_t fit = std::min(most_units_[step], budget / (area.tile_rows * row));
    if (fit == 0) return false;
    const std::int64_t tiles = ceil_div(at.units(), fit);
    const std::int64_t even = ceil_div(at.units(), tiles);
    area.tile_units = round_up(even, block) <= fit ? round_up(even, block) : even;
    if (!at.is_pool())
      area.unit = tile_unit(chain_.plan(), chain_.plan().graph.op(at.op), *at.part, shape_of(at, area));
    return true;
  }

  static GemmShape shape_of(const WindowStep& at, const WindowAreas::Step& area) {
    GemmShape shape = at.part->shape();
    (at.grouped() ? shape.batches : shape.m) = area.tile_units;
    shape.conv->images = 1, shape.conv->rows = area.tile_rows;
    shape.n = shape.conv->rows * shape.conv->columns;
    return shape;
  }

  Bytes elements_of(std::size_t step) const {
    const WindowStep& at = step_at(step);
    const WindowAreas::Step& area = areas_.steps[step];
    return area.tile_units * at.channels_per_unit() * area.tile_rows * at.box[3].size();
  }
  std::int64_t tiles_of(std::size_t step) const {
    return ceil_div(step_at(step).units(), areas_.steps[step].tile_units);
  }

  // In the accumulate buffer: the operands of epilogues, vectors all at once, and `copies` tiles or more.
  bool place_tiles(int copies) {
    Bytes taken = 0;
    areas_.result_bytes = 0;
    for (std::size_t step = 0; step < areas_.steps.size(); ++step) {
      const TilingLimits& limits = step_at(step).limits;
      const Bytes per_element = limits.acc_element + limits.acc_bytes_per_element;
      if (!cut_tiles(step, core_.accumulator / (copies + 1) * limits.acc_element / per_element)) return false;
      areas_.result_bytes = std::max(areas_.result_bytes, aligned(elements_of(step) * limits.acc_element));
      taken += place_operands(step, taken);
    }
    areas_.results = taken;
    areas_.result_tiles = static_cast<int>(
        std::min<std::int64_t>((core_.accumulator - taken) / areas_.result_bytes, constants().result_slots));
    return taken <= core_.accumulator && areas_.result_tiles >= copies;
  }
  Bytes place_operands(std::size_t step, Address base) {
    const WindowStep& at = step_at(step);
    EpilogueAreas& area = areas_.steps[step].epilogue;
    area.base = base;
    area.vectors = aligned(areas_.steps[step].tile_units * at.channels_per_unit() * at.limits.acc_bytes_per_row);
    area.elements = aligned(elements_of(step) * at.limits.acc_bytes_per_element);
    area.vector_entries = static_cast<int>(tiles_of(step));
    return area.vector_entries * area.vectors + at.limits.buffering * area.elements;
  }

  // Two tiles of each step's weights at least; all of them, from the first step on, while they fit.
  bool place_weights() {
    Bytes taken = 0;
    for (std::size_t step = 0; step < areas_.steps.size(); ++step) {
      const WindowStep& at = step_at(step);
      WindowAreas::Step& area = areas_.steps[step];
      if (at.is_pool()) continue;
      area.weight_bytes = aligned(area.tile_units * filters_of_unit(at, area) * at.limits.d_s);
      area.weight_tiles = static_cast<int>(std::min<std::int64_t>(tiles_of(step), at.limits.buffering));
      area.factor_bytes = aligned(factor_place_bytes(at.part->shape().k, at.part->shape(), at.limits));
      taken += area.weight_tiles * area.weight_bytes + area.factor_bytes;
    }
    for (std::size_t step = 0; step < areas_.steps.size(); ++step) {
      if (step_at(step).is_pool()) continue;
      WindowAreas::Step& area = areas_.steps[step];
      const std::int64_t more = tiles_of(step) - area.weight_tiles;
      if (taken + more * area.weight_bytes > core_.buffer_a) continue;
      area.weight_tiles += static_cast<int>(more);
      taken += more * area.weight_bytes;
    }
    Address next = 0;
    for (WindowAreas::Step& area : areas_.steps) {
      area.weights = next;
      area.factors = next + area.weight_tiles * area.weight_bytes;
      next = area.factors + area.factor_bytes;
    }
    return taken <= core_.buffer_a;
  }

  // Elements, those of all output columns abreast.
  static std::int64_t filters_of_unit(const WindowStep& at, const WindowAreas::Step& area) {
    const GemmShape& shape = at.part->shape();
    return at.channels_per_unit() * area.unit.abreast * shared_sum(*shape.conv, shape.k, area.unit.abreast);
  }

  // Of the tiles of weights, the largest halved; false: it is the least.
  bool halve_widest() {
    const auto widest = std::max_element(areas_.steps.begin(), areas_.steps.end(),
                                         [](const auto& a, const auto& b) { return a.weight_bytes < b.weight_bytes; });
    most_units_[widest - areas_.steps.begin()] = ceil_div(widest->tile_units, std::int64_t{2});
    return widest->tile_units > 1;
  }

  // The shortest areas for rows; all rows, from the first step on, while they fit.
  bool place_inputs() {
    Bytes taken = 0;
    for (std::size_t step = 0; step < areas_.steps.size(); ++step) {
      areas_.steps[step].input = input_area(step);
      taken += aligned(areas_.steps[step].input.bytes());
    }
    if (taken > core_.buffer_b) return false;
    Address next = 0;
    for (std::size_t step = 0; step < areas_.steps.size(); ++step) {
      InputArea& area = areas_.steps[step].input;
      const Bytes least = aligned(area.bytes());
      const std::int64_t length = area.length;
      area.length = whole_length(needs_[step]);
      if (taken - least + aligned(area.bytes()) > core_.buffer_b) area.length = length;
      taken += aligned(area.bytes()) - least;
      area.places = *place_rows(needs_[step], area.length);
      area.base = next;
      next += aligned(area.bytes());
    }
    return true;
  }

  InputArea input_area(std::size_t step) const {
    const WindowStep& at = step_at(step);
    InputArea area;
    area.channels = at.input[1].size();
    area.length = least_length(needs_[step]);
    const Window::Axis& axis = at.window.axes[1];
    area.pad_columns = axis.pad_begin;
    area.columns = std::max(window_span(axis, at.box[3]).size(), area.pad_columns + at.columns);
    area.element = at.limits.d_s;
    return area;
  }

  const WindowChain& chain_;
  const CoreSpec& core_;
  const std::vector<WindowVisit> visits_;
  std::vector<std::vector<RowNeed>> needs_;  // by step
  std::vector<std::int64_t> most_units_;     // of a step's tiles
  WindowAreas areas_;
};

}  // namespace

std::optional<WindowAreas> window_areas(const WindowChain& chain, std::int64_t rows) {
  return WindowLayout(chain, rows).run();
}

}  // namespace tilewright
