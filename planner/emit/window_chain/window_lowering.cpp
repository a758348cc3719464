#include "planner/emit/window_chain/window_lowering.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "planner/emit/pipeline.h"
#include "planner/emit/window_chain/window_areas.h"
#include "planner/emit/window_chain/window_step.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

class WindowLowering {
 public:
  WindowLowering(const Plan& plan, const OperatorGroup& group, std::size_t item, std::int64_t rows, std::size_t visits)
      : chain_(plan, group, plan.operators[group.members.back()].split.items.at(item).output),
        visits_(chain_.visits(rows)),
        areas_(areas_of(rows)),
        pipeline_(pipeline_of(plan, group.members.back(), item)),
        results_(pipeline_, areas_.results, areas_.result_bytes, areas_.result_tiles) {
    visits_.resize(std::min(visits_.size(), visits));
    for (std::size_t step = 0; step < areas_.steps.size(); ++step) {
      const auto make_step = chain_.steps()[step].is_pool() ? pool_step : conv_step;
      steps_.push_back(make_step(chain_, step, item, areas_.steps[step], pipeline_));
    }
  }

  std::vector<Instruction> run() {
    load_weights_before_rows();
    for (std::size_t step = 1; step < steps_.size(); ++step) {
      steps_[step]->begin();
      steps_[step]->input().fill_columns();
    }
    for (std::size_t time = 0; time + 1 < visits_.size() + steps_.size(); ++time)
      for (std::size_t step = 0; step < steps_.size(); ++step)
        if (time >= step && time - step < visits_.size()) make(step, time - step);
    return pipeline_.finish();
  }

 private:
  WindowAreas areas_of(std::int64_t rows) const {
    std::optional<WindowAreas> areas = window_areas(chain_, rows);
    SIM_CHECK(areas, "blocks of {} rows do not fit", rows);
    return std::move(*areas);
  }

  // Rows wait until they have been written, weights need not: those of the first convolution, which waits for both, and
  // of grouped ones, which are short. Others would keep the rows waiting.
  void load_weights_before_rows() {
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      if (step > 0 && !chain_.steps()[step].grouped()) continue;
      steps_[step]->begin();
      steps_[step]->load_first_weights();
    }
  }

  void make(std::size_t step, std::size_t visit) {
    WindowStepLowering& at = *steps_[step];
    const bool last = step + 1 == steps_.size();
    at.begin();
    if (step == 0) at.load_input(visits_[visit], visit);
    if (!last) steps_[step + 1]->input().keep(visit);
    for (const WindowTile& tile : at.tiles(visits_[visit], step)) {
      const SlotRing::Place c = results_.next();
      at.compute(tile, visit, c);
      if (last)
        at.store(tile, visit, c);
      else
        at.hand_on(tile, visit, c, steps_[step + 1]->input());
      at.begin();
    }
  }

  const WindowChain chain_;
  std::vector<WindowVisit> visits_;
  const WindowAreas areas_;
  Pipeline pipeline_;
  SlotRing results_;
  std::vector<std::unique_ptr<WindowStepLowering>> steps_;
};

}  // namespace

std::vector<Instruction> lower_windows(const Plan& plan, const OperatorGroup& group, std::size_t item,
                                       std::int64_t rows, std::size_t visits) {
  return WindowLowering(plan, group, item, rows, visits).run();
}

}  // namespace tilewright
