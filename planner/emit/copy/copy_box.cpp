#include "planner/emit/copy/copy_box.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sim/base/stop.h"

namespace tilewright {
namespace {

bool one_run(const CopyLoop& outer, const CopyLoop& inner) {
  return outer.read == inner.read * inner.count && outer.write == inner.write * inner.count;
}

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

std::int64_t CopyBox::elements() const {
  std::int64_t count = 1;
  for (const CopyLoop& loop : loops) count *= loop.count;
  return count;
}

std::int64_t CopyBox::run() const {
  return !loops.empty() && (zeros || loops.back().read == 1) && loops.back().write == 1 ? loops.back().count : 1;
}

std::ptrdiff_t entangled_loop(const CopyBox& box) {
  std::ptrdiff_t found = -1;
  std::int64_t span = 1;
  for (std::ptrdiff_t i = std::ssize(box.loops) - 1; i >= 0; --i) {
    if (box.loops[i].count > 1 && box.loops[i].write < span) found = i;
    span += (box.loops[i].count - 1) * box.loops[i].write;
  }
  return found;
}

CopyBox folded(CopyBox box) {
  std::erase_if(box.loops, [](const CopyLoop& loop) { return loop.count == 1; });
  std::sort(box.loops.begin(), box.loops.end(), [](const CopyLoop& a, const CopyLoop& b) {
    return std::tie(a.write, a.read, a.count) > std::tie(b.write, b.read, b.count);
  });
  CopyBox out{box.read, box.write, {}, box.zeros};
  for (const CopyLoop& loop : box.loops) {
    if (!out.loops.empty() && one_run(out.loops.back(), loop)) {
      out.loops.back() = {out.loops.back().count * loop.count, loop.read, loop.write};
    } else {
      out.loops.push_back(loop);
    }
  }
  return out;
}

CopyBox upwards(CopyBox box, std::int64_t CopyLoop::*side) {
  for (CopyLoop& loop : box.loops) {
    if (loop.*side >= 0) continue;
    box.read += (loop.count - 1) * loop.read;
    box.write += (loop.count - 1) * loop.write;
    loop.read = -loop.read;
    loop.write = -loop.write;
  }
  return box;
}

std::vector<CopyBox> limit_loops(const CopyBox& box, std::size_t most) {
  std::ptrdiff_t unrolled = entangled_loop(box);
  if (unrolled < 0 && box.loops.size() <= most) return {box};
  if (unrolled < 0)
    unrolled = std::min_element(box.loops.begin(), box.loops.end(),
                                [](const CopyLoop& a, const CopyLoop& b) { return a.count < b.count; }) -
               box.loops.begin();
  std::vector<CopyBox> out;
  for (const CopyBox& one : unroll(box, static_cast<std::size_t>(unrolled)))
    for (CopyBox& limited : limit_loops(one, most)) out.push_back(std::move(limited));
  return out;
}

std::vector<CopyBox> unroll(const CopyBox& box, std::size_t loop) {
  const CopyLoop gone = box.loops[loop];
  CopyBox rest = box;
  rest.loops.erase(rest.loops.begin() + static_cast<std::ptrdiff_t>(loop));
  std::vector<CopyBox> out;
  for (std::int64_t i = 0; i < gone.count; ++i) {
    out.push_back(rest);
    rest.read += gone.read;
    rest.write += gone.write;
  }
  return out;
}

std::vector<std::vector<CopyBox>> interleaved(std::vector<CopyBox> boxes, std::int64_t good_run) {
  std::sort(boxes.begin(), boxes.end(), [](const CopyBox& a, const CopyBox& b) {
    return std::make_tuple(written_loops(a), a.write) < std::make_tuple(written_loops(b), b.write);
  });
  std::vector<std::vector<CopyBox>> groups;
  for (CopyBox& box : boxes) {
    check_stop();
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
