#include "sim/machine/network/sum_tree.h"

#include <algorithm>

namespace tilewright {
namespace {

constexpr int kNoLink = -1;  // from the router of the destination

class SumTreeBuilder {
 public:
  SumTreeBuilder(const NetworkSpec& spec, const NetworkRoutes& routes, int destination)
      : spec_(spec), routes_(routes), destination_(destination) {
    leaves_by_[router_of(destination)] = kNoLink;
  }

  // Every router on the way hands one packet to the one behind it, however many come to it.
  void add(int source) {
    const int way = routes_.choose(source, destination_, 0).way;
    int router = router_of(source);
    ++inputs_[router];
    while (!leaves_by_.contains(router)) {
      const int link = routes_.ports()[router].out_links[routes_.output(router, destination_, way)];
      leaves_by_[router] = link;
      router = spec_.links[link].to;
      ++inputs_[router];
    }
  }

  SumTree finish(std::span<const int> sources) const {
    SumTree tree;
    for (const auto& [router, inputs] : inputs_)
      if (inputs > 1) tree.meetings[router] = {inputs, spec_.adder_terminal(router, 0), next_behind(router)};
    for (const int source : sources) tree.next[source] = next_of(source);
    return tree;
  }

 private:
  int router_of(int terminal) const { return spec_.terminal_router[static_cast<std::size_t>(terminal)]; }
  bool adds(int router) const { return inputs_.at(router) > 1; }

  int next_of(int source) const {
    const int router = router_of(source);
    if (!adds(router)) return next_behind(router);
    const RouterPorts& ports = routes_.ports()[router];
    const auto place = std::ranges::find(ports.terminals, source) - ports.terminals.begin();
    return spec_.adder_terminal(router, static_cast<int>(ports.in_links.size()) + static_cast<int>(place));
  }

  // Where a packet that leaves `router` is added to others.
  int next_behind(int router) const {
    for (int link = leaves_by_.at(router); link != kNoLink; link = leaves_by_.at(spec_.links[link].to))
      if (const int to = spec_.links[link].to; adds(to)) return spec_.adder_terminal(to, routes_.in_port(link));
    return destination_;
  }

  const NetworkSpec& spec_;
  const NetworkRoutes& routes_;
  const int destination_;
  std::map<int, int> leaves_by_;  // link on the way to the destination, by router
  std::map<int, int> inputs_;     // packets that come to it
};

}  // namespace

SumTree make_sum_tree(const NetworkSpec& spec, const NetworkRoutes& routes, std::span<const int> sources,
                      int destination) {
  SumTreeBuilder builder(spec, routes, destination);
  for (const int source : sources) builder.add(source);
  return builder.finish(sources);
}

}  // namespace tilewright
