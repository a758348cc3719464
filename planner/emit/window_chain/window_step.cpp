#include "planner/emit/window_chain/window_step.h"

#include "planner/emit/caching.h"

namespace tilewright {

WindowStepLowering::WindowStepLowering(const WindowChain& chain, std::size_t step, std::size_t item,
                                       const WindowAreas::Step& areas, Pipeline& pipeline)
    : plan_(chain.plan()),
      at_(chain.steps()[step]),
      op_(plan_.graph.op(at_.op)),
      areas_(areas),
      pipeline_(pipeline),
      input_(plan_, at_, areas.input, pipeline),
      cached_input_(worth_caching(plan_, at_.op, item, 0)) {}

void WindowStepLowering::begin() {
  pipeline_.begin_step();
  pipeline_.set_operator(program_operator(at_.op));
}

std::vector<WindowTile> WindowStepLowering::tiles(const WindowVisit& visit, std::size_t step) const {
  std::vector<WindowTile> tiles;
  const auto units = cut_range({0, at_.units()}, areas_.tile_units);
  if (visit.made[step].size() == 0) return tiles;
  for (std::size_t i = 0; i < units.size(); ++i)
    for (const Range& rows : cut_range(visit.made[step], areas_.tile_rows))
      tiles.push_back({units[i], {visit.image, rows, at_.box[3]}, static_cast<std::int64_t>(i)});
  return tiles;
}

Address WindowStepLowering::address_in(const InputRows& next, const WindowTile& tile, std::size_t visit) const {
  const InputArea& area = next.area();
  return area.at(first_channel(tile), next.position(visit, tile.columns.row.begin),
                 area.pad_columns + tile.columns.column.begin);
}

}  // namespace tilewright
