#include "planner/emit/copy/copy_stage.h"

#include <algorithm>

#include "sim/base/units.h"

namespace tilewright {

bool TileRules::reads_through(std::int64_t run, std::int64_t stride) const {
  if (stride <= burst) return true;
  return burst > 0 && stride <= std::max(round_up(run, burst), per_request);
}

Stage::Stage(const CopyBox& tile, std::int64_t base, const TileRules& rules)
    : rules_(rules), load_{tile.read, base, {}}, store_{base, tile.write, {}} {
  std::vector<CopyLoop> loops = tile.loops;
  std::stable_sort(loops.begin(), loops.end(), [](const CopyLoop& a, const CopyLoop& b) { return a.read < b.read; });
  for (const CopyLoop& loop : loops) add(loop);
}

void Stage::add(const CopyLoop& loop) {
  if (loop.read == 0) {
    store_.loops.push_back({loop.count, 0, loop.write});
  } else if (goes_on(loop)) {
    lengthen(loop);
  } else {
    load_.loops.push_back({loop.count, loop.read, elements_});
    store_.loops.push_back({loop.count, elements_, loop.write});
    elements_ *= loop.count;
  }
}

bool Stage::goes_on(const CopyLoop& loop) const {
  if (load_.loops.empty()) return rules_.reads_through(1, loop.read);
  const CopyLoop& last = load_.loops.back();
  if (loop.read % last.read != 0) return false;
  return loop.read / last.read <= last.count || (last.read == 1 && rules_.reads_through(last.count, loop.read));
}

void Stage::lengthen(const CopyLoop& loop) {
  if (load_.loops.empty()) load_.loops.push_back({1, 1, 1});
  CopyLoop& last = load_.loops.back();
  const std::int64_t steps = loop.read / last.read;
  store_.loops.push_back({loop.count, steps * last.write, loop.write});
  elements_ /= last.count;
  last.count += (loop.count - 1) * steps;
  elements_ *= last.count;
}

}  // namespace tilewright
