#include "planner/passes/copy/layout_copy_group.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tilewright {
namespace {

// What boxes of a group have in common.
std::vector<std::pair<std::int64_t, std::int64_t>> written_loops(const CopyBox& box) {
  std::vector<std::pair<std::int64_t, std::int64_t>> loops;
  for (const CopyLoop& loop : box.loops) loops.emplace_back(loop.count, loop.write);
  return loops;
}

// Elements that one run of the output has, and from the beginning of one to that of the next; the same without a gap.
struct Comb {
  std::int64_t run = 1, pitch = 1;
};

Comb comb_of(const CopyBox& box) {
  Comb comb;
  for (std::size_t i = box.loops.size(); i-- > 0;) {
    comb.pitch = box.loops[i].write;
    if (comb.pitch != comb.run) return comb;
    comb.run = comb.pitch = comb.run * box.loops[i].count;
  }
  return comb;
}

}  // namespace

std::vector<std::vector<CopyBox>> interleaved(std::vector<CopyBox> boxes, std::int64_t good_run) {
  std::sort(boxes.begin(), boxes.end(), [](const CopyBox& a, const CopyBox& b) {
    return std::make_tuple(written_loops(a), a.write) < std::make_tuple(written_loops(b), b.write);
  });
  std::vector<std::vector<CopyBox>> groups;
  for (CopyBox& box : boxes) {
    if (!groups.empty() && std::ssize(groups.back()) < good_run) {
      const CopyBox& first = groups.back().front();
      const Comb comb = comb_of(first);
      if (comb.run < good_run && box.write - first.write < comb.pitch && written_loops(box) == written_loops(first)) {
        groups.back().push_back(std::move(box));
        continue;
      }
    }
    groups.push_back({std::move(box)});
  }
  return groups;
}

}  // namespace tilewright
