// Parts that were timed alone, in the network's linked program: what an order gains alone may be lost where parts meet.
#pragma once

#include <memory>
#include <optional>

#include "planner/search/order/order_search.h"
#include "planner/search/order/order_timer.h"
#include "planner/search/order/schedule.h"

namespace tilewright {

// Proposes the fastest orders of a part timed alone, one after the other, `most` of them; of equal programs one.
// `searched` outlives it.
std::unique_ptr<OrderSearch> fastest_orders(const PartSchedule& searched, int most);

// Runs the network, part `whole` of the timer, with every part as imported, at its best and at its worst; then tries
// up to `tries` other of the fastest orders of each part as search_network() does, until the network takes fewer cycles
// than `stop_below`. Fills `imported`, `best`, `worst`, `linked`. UserError with the reason when the chip has room for
// none.
void link_parts(Schedule& schedule, OrderTimer& timer, int whole, int tries, Cycles stop_below = 0);

// Measures the network with every part in the fastest order timed so far; nothing while a part has none.
std::optional<OrderTime> time_linked(Schedule& schedule, OrderTimer& timer, int whole);

}  // namespace tilewright
