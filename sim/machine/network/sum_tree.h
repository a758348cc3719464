// Which routers add up what on its way to one terminal: those at which two or more parts of the sum meet.
#pragma once

#include <map>
#include <span>

#include "sim/machine/network/network_routes.h"

namespace tilewright {

struct SumTree {
  struct Meeting {
    int inputs = 0;  // packets that it adds up, 2 or more
    int from = 0;    // terminal by which the sum leaves the adder
    int next = 0;    // and where it goes to: an input of the next router that adds, or the last terminal
  };
  std::map<int, Meeting> meetings;  // by router
  std::map<int, int> next;          // by terminal of a source: where its parts go
};

// A part comes from each of `sources` (terminals, one that has several parts as often), along the ways that packets to
// `destination` take. Of a network whose routers add (NetworkSpec::reduction).
SumTree make_sum_tree(const NetworkSpec& spec, const NetworkRoutes& routes, std::span<const int> sources,
                      int destination);

}  // namespace tilewright
