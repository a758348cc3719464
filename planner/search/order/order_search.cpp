#include "planner/search/order/order_search.h"

#include <array>
#include <utility>

#include "planner/constants/constants.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr std::array<std::pair<OrderStrategy, std::string_view>, 4> kNames{{{OrderStrategy::kAll, "all"},
                                                                            {OrderStrategy::kRandom, "random"},
                                                                            {OrderStrategy::kBeam, "beam"},
                                                                            {OrderStrategy::kMcts, "mcts"}}};

}  // namespace

std::string_view name_of(OrderStrategy strategy) { return kNames[static_cast<std::size_t>(strategy)].second; }

std::optional<OrderStrategy> parse_order_strategy(std::string_view name) {
  for (const auto& [strategy, known] : kNames)
    if (known == name) return strategy;
  return std::nullopt;
}

std::unique_ptr<OrderSearch> make_search(OrderStrategy strategy, const ScheduleDag& dag,
                                         std::shared_ptr<const OrderCounter> counter, const SearchSettings& settings) {
  switch (strategy) {
    case OrderStrategy::kAll:
      return search_all(dag);
    case OrderStrategy::kRandom:
      return search_random(dag, std::move(counter), settings.seed);
    case OrderStrategy::kBeam:
      return search_beam(dag, static_cast<int>(constants().order_beam_width), settings.forecast, settings.looks);
    case OrderStrategy::kMcts:
      return search_mcts(dag, settings.forecast, settings.looks, settings.seed);
  }
  SIM_CHECK(false, "strategy {}", static_cast<int>(strategy));
  return nullptr;
}

}  // namespace tilewright
