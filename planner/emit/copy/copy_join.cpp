// Fewer boxes: what repeats becomes a loop, what goes on makes a loop longer.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "planner/emit/copy/copy_box.h"
#include "sim/base/stop.h"

namespace tilewright {
namespace {

void sort_by_loops(std::vector<CopyBox>& boxes) {
  std::sort(boxes.begin(), boxes.end(), [](const CopyBox& a, const CopyBox& b) {
    return std::tie(a.loops, a.write, a.read) < std::tie(b.loops, b.write, b.read);
  });
}

// Whether a box follows `last` by the step (read, write); a step backwards is none.
bool follows(const CopyBox& box, const CopyBox& last, std::int64_t read, std::int64_t write) {
  return box.loops == last.loops && box.read - last.read == read && box.write - last.write == write && read >= 0 &&
         write > 0;
}

// How many boxes from `first` on are one box repeated.
std::size_t repetitions(const std::vector<CopyBox>& boxes, std::size_t first) {
  std::size_t end = first + 1;
  if (end == boxes.size()) return 1;
  const std::int64_t read = boxes[end].read - boxes[first].read, write = boxes[end].write - boxes[first].write;
  while (end < boxes.size() && follows(boxes[end], boxes[end - 1], read, write)) ++end;
  return end - first;
}

void repeat(std::vector<CopyBox>& boxes) {
  sort_by_loops(boxes);
  std::vector<CopyBox> out;
  for (std::size_t i = 0; i < boxes.size();) {
    const std::size_t count = repetitions(boxes, i);
    CopyBox box = boxes[i];
    if (count > 1)
      box.loops.push_back(
          {static_cast<std::int64_t>(count), boxes[i + 1].read - box.read, boxes[i + 1].write - box.write});
    box = folded(std::move(box));
    const bool joins = entangled_loop(box) < 0;
    out.push_back(joins ? std::move(box) : boxes[i]);
    i += joins ? count : 1;
  }
  boxes = std::move(out);
}

// Boxes that grow at either end of a loop by others, which go.
class Extension {
 public:
  explicit Extension(const std::vector<CopyBox>& boxes) {
    for (const CopyBox& box : boxes) left_.emplace(box.write, box);
  }

  // Boxes of many loops come first: those of fewer are what they grow by.
  std::vector<CopyBox> run() {
    std::vector<std::pair<std::size_t, std::int64_t>> order;
    for (const auto& [write, box] : left_) order.emplace_back(box.loops.size(), -write);
    std::sort(order.rbegin(), order.rend());
    std::vector<CopyBox> out;
    for (const auto& [loops, write] : order) {
      check_stop();
      auto taken = left_.extract(-write);
      if (taken.empty()) continue;
      while (grow(taken.mapped())) check_stop();
      out.push_back(std::move(taken.mapped()));
    }
    return out;
  }

 private:
  bool grow(CopyBox& box) {
    for (std::size_t i = 0; i < box.loops.size(); ++i)
      if (grow_at(box, i, box.loops[i].count) || grow_at(box, i, -1)) return true;
    return false;
  }

  // By what stands `steps` iterations of the loop away: behind its end, or one before its beginning.
  bool grow_at(CopyBox& box, std::size_t i, std::int64_t steps) {
    const auto next = left_.find(box.write + steps * box.loops[i].write);
    if (next == left_.end() || next->second.read != box.read + steps * box.loops[i].read) return false;
    const std::int64_t more = iterations(next->second, box, i);
    if (more == 0 || (steps < 0 && more > 1)) return false;
    CopyBox longer = box;
    if (steps < 0) longer.read = next->second.read, longer.write = next->second.write;
    longer.loops[i].count += more;
    longer = folded(std::move(longer));
    if (entangled_loop(longer) >= 0) return false;
    box = std::move(longer);
    left_.erase(next);
    return true;
  }

  // Iterations of loop `i` of `box` that `other` is, all other loops being the same; 0 when it is something else.
  static std::int64_t iterations(const CopyBox& other, CopyBox box, std::size_t i) {
    const std::int64_t count = other.elements() / (box.elements() / box.loops[i].count);
    box.loops[i].count = count;
    return count > 0 && folded(std::move(box)).loops == other.loops ? count : 0;
  }

  std::map<std::int64_t, CopyBox> left_;  // by what they write first
};

}  // namespace

std::vector<CopyBox> joined(std::vector<CopyBox> boxes) {
  for (std::size_t before = boxes.size() + 1; boxes.size() < before;) {
    before = boxes.size();
    boxes = Extension(boxes).run();
    repeat(boxes);
  }
  std::sort(boxes.begin(), boxes.end(),
            [](const CopyBox& a, const CopyBox& b) { return std::tie(a.write, a.read) < std::tie(b.write, b.read); });
  return boxes;
}

}  // namespace tilewright
