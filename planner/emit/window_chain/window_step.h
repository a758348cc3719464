// One step of a chain of windows on a core: the rows of its input, and what is computed from them tile by tile.
#pragma once

#include <memory>
#include <vector>

#include "planner/emit/window_chain/input_rows.h"
#include "planner/emit/window_chain/window_areas.h"

namespace tilewright {

// Of a step's result.
struct WindowTile {
  Range units;  // WindowStep::units()
  Columns columns;
  std::int64_t number = 0;  // of `units`
};

class WindowStepLowering {
 public:
  // Everything given outlives it. `item`: the part of the operator's split.
  WindowStepLowering(const WindowChain& chain, std::size_t step, std::size_t item, const WindowAreas::Step& areas,
                     Pipeline& pipeline);
  virtual ~WindowStepLowering() = default;

  InputRows& input() { return input_; }
  void begin();
  void load_input(const WindowVisit& visit, std::size_t number) { input_.load(visit.image, number, cached_input_); }
  // Of the rows that a visit makes of the result of `step`, this one.
  std::vector<WindowTile> tiles(const WindowVisit& visit, std::size_t step) const;

  // Of the first tiles, as many as there is room for.
  virtual void load_first_weights() {}
  // A tile of the visit of that number, in `c` of the accumulate buffer.
  virtual void compute(const WindowTile& tile, std::size_t visit, const SlotRing::Place& c) = 0;
  // What was computed, to where the next step reads it.
  virtual void hand_on(const WindowTile& tile, std::size_t visit, const SlotRing::Place& c, const InputRows& next) = 0;
  virtual void store(const WindowTile& tile, std::size_t visit, const SlotRing::Place& c) = 0;

 protected:
  // Of the part's result.
  std::int64_t first_channel(const WindowTile& tile) const { return tile.units.begin * at_.channels_per_unit(); }
  DataType type() const { return plan_.tensors[op_.output].type; }
  // Where the next step reads the tile.
  Address address_in(const InputRows& next, const WindowTile& tile, std::size_t visit) const;

  const Plan& plan_;
  const WindowStep& at_;
  const Operator& op_;
  const WindowAreas::Step& areas_;
  Pipeline& pipeline_;
  InputRows input_;
  const bool cached_input_;
};

std::unique_ptr<WindowStepLowering> conv_step(const WindowChain& chain, std::size_t step, std::size_t item,
                                              const WindowAreas::Step& areas, Pipeline& pipeline);
std::unique_ptr<WindowStepLowering> pool_step(const WindowChain& chain, std::size_t step, std::size_t item,
                                              const WindowAreas::Step& areas, Pipeline& pipeline);

}  // namespace tilewright
