#include "planner/emit/copy/plan_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <vector>

#include "planner/emit/copy/copy_map.h"
#include "sim/base/error.h"
#include "sim/base/stop.h"

namespace tilewright {
namespace {

using StepKind = MapStep::Kind;

// One side of a piece on its way from element numbers to places.
struct Progress {
  Linear rest, coordinate, place;
  std::size_t step = 0;

  Linear& divided(StepKind kind) {
    if (kind == StepKind::kDimension) return rest;
    return kind == StepKind::kBlock ? coordinate : place;
  }
};

struct LinearPiece {
  std::vector<std::int64_t> counts;
  std::array<Progress, 2> sides;
};

bool divides(StepKind kind) {
  return kind == StepKind::kDimension || kind == StepKind::kBlock || kind == StepKind::kPiece;
}

Linear plus(Linear a, const Linear& b, std::int64_t times) {
  a.constant += b.constant * times;
  for (std::size_t i = 0; i < a.factor.size(); ++i) a.factor[i] += b.factor[i] * times;
  return a;
}

template <typename Change>
void change(Linear& linear, Change change) {
  change(linear.constant);
  for (std::int64_t& factor : linear.factor) change(factor);
}

// Takes a step that does not carry.
void take(Progress& side, const MapStep& step) {
  if (step.kind == StepKind::kLast) {
    side.coordinate = side.rest;
    return;
  }
  if (step.kind == StepKind::kOuter) {
    side.place = plus(side.place, side.coordinate, step.stride);
    return;
  }
  Linear quotient = side.divided(step.kind), remainder = quotient;
  change(quotient, [&](std::int64_t& value) { value /= step.size; });
  change(remainder, [&](std::int64_t& value) { value %= step.size; });
  if (step.kind == StepKind::kDimension) side.rest = quotient, side.coordinate = remainder;
  if (step.kind == StepKind::kBlock) side.coordinate = quotient, side.place = plus(side.place, remainder, step.stride);
  if (step.kind == StepKind::kPiece) side.place = plus(remainder, quotient, step.stride);
}

template <typename Use>
void for_each_linear(LinearPiece& piece, Use use) {
  for (Progress& side : piece.sides)
    for (Linear* linear : {&side.rest, &side.coordinate, &side.place}) use(*linear);
}

// Loop `i` starts `by` iterations later.
void shift(LinearPiece& piece, std::size_t i, std::int64_t by) {
  piece.counts[i] -= by;
  for_each_linear(piece, [&](Linear& linear) { linear.constant += by * linear.factor[i]; });
}

// Loop `i` from its last iteration to its first.
void turn(LinearPiece& piece, std::size_t i) {
  for_each_linear(piece, [&](Linear& linear) {
    linear.constant += linear.factor[i] * (piece.counts[i] - 1);
    linear.factor[i] = -linear.factor[i];
  });
}

// Divisions are of what grows: loops that one side walks backwards are turned before it is divided.
void turn_upwards(LinearPiece& piece, const Progress& side) {
  for (std::size_t i = 0; i < piece.counts.size(); ++i)
    if (side.rest.factor[i] < 0 || side.coordinate.factor[i] < 0 || side.place.factor[i] < 0) turn(piece, i);
}

void nest(LinearPiece& piece, std::size_t i, std::int64_t inner) {
  piece.counts.insert(piece.counts.begin() + static_cast<std::ptrdiff_t>(i) + 1, inner);
  piece.counts[i] /= inner;
  for_each_linear(piece, [&](Linear& linear) {
    linear.factor.insert(linear.factor.begin() + static_cast<std::ptrdiff_t>(i) + 1, linear.factor[i]);
    linear.factor[i] *= inner;
  });
}

class Splitter {
 public:
  Splitter(const CopySide& from, const CopySide& to) : steps_{map_steps(from), map_steps(to)} {
    LinearPiece all{from.view.shape, {}};
    const std::array<const CopySide*, 2> sides{&from, &to};
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const Linear zero{0, std::vector<std::int64_t>(all.counts.size(), 0)};
      all.sides[i] = {{sides[i]->view.offset, sides[i]->view.strides}, zero, zero, 0};
      all.sides[i].place.constant = sides[i]->layout.offset();
    }
    open_.push_back(std::move(all));
  }

  std::vector<CopyBox> run() {
    while (!open_.empty()) {
      check_stop();
      LinearPiece piece = std::move(open_.back());
      open_.pop_back();
      advance(std::move(piece));
      if (boxes_.size() + open_.size() > kMaxCopyBoxes)
        throw UserError("", fmt::format("the layouts break the copy into more than {} boxes", kMaxCopyBoxes));
    }
    return std::move(boxes_);
  }

 private:
  void advance(LinearPiece piece) {
    for (std::size_t i = 0; i < piece.sides.size(); ++i) {
      Progress& side = piece.sides[i];
      if (side.step < steps_[i].size()) turn_upwards(piece, side);
      for (; side.step < steps_[i].size(); ++side.step) take_step(piece, side, steps_[i][side.step]);
    }
    finish(piece);
  }

  void take_step(LinearPiece& piece, Progress& side, const MapStep& step) {
    while (divides(step.kind)) {
      const auto cut = next_cut(piece.counts, side.divided(step.kind), step.size);
      if (!cut) break;
      apply(piece, *cut);
    }
    take(side, step);
  }

  // What a break cuts off waits in open_.
  void apply(LinearPiece& piece, const LoopCut& cut) {
    if (cut.kind == LoopCut::Kind::kNest) return nest(piece, cut.loop, cut.at);
    LinearPiece later = piece;
    shift(later, cut.loop, cut.at);
    piece.counts[cut.loop] = cut.at;
    open_.push_back(std::move(later));
  }

  void finish(const LinearPiece& piece) {
    const Linear &read = piece.sides[0].place, &write = piece.sides[1].place;
    CopyBox box{read.constant, write.constant, {}};
    for (std::size_t i = 0; i < piece.counts.size(); ++i)
      box.loops.push_back({piece.counts[i], read.factor[i], write.factor[i]});
    boxes_.push_back(folded(std::move(box)));
  }

  std::array<std::vector<MapStep>, 2> steps_;
  std::vector<LinearPiece> open_;
  std::vector<CopyBox> boxes_;
};

// A loop that goes from piece to piece has at least their distance as its stride, others less.
std::vector<CopyBox> cut_between_pieces(const CopyBox& box, const CopySide& from, const CopySide& to) {
  for (std::size_t i = 0; i < box.loops.size(); ++i) {
    const CopyLoop& loop = box.loops[i];
    if ((from.piece == 0 || std::abs(loop.read) < from.piece_stride) && (to.piece == 0 || loop.write < to.piece_stride))
      continue;
    std::vector<CopyBox> out;
    for (const CopyBox& one : unroll(box, i))
      for (CopyBox& cut : cut_between_pieces(one, from, to)) out.push_back(std::move(cut));
    return out;
  }
  return {box};
}

}  // namespace

CopyDirection direction_of(const CopySide& from, const CopySide& to) {
  const bool input = covers_in_order(from.view, from.layout.shape());
  const bool output = covers_in_order(to.view, to.layout.shape());
  if (output) return input ? CopyDirection::kReorder : CopyDirection::kGather;
  return input ? CopyDirection::kScatter : CopyDirection::kStrided;
}

std::string_view name_of(CopyDirection direction) {
  static constexpr std::array<std::string_view, 4> names = {"reorder", "gather", "scatter", "strided"};
  return names.at(static_cast<std::size_t>(direction));
}

std::vector<CopyBox> plan_copy(const CopySide& from, const CopySide& to) {
  if (from.view.shape != to.view.shape)
    throw UserError("", fmt::format("the input's view is {}, the output's {}", to_string(from.view.shape),
                                    to_string(to.view.shape)));
  if (element_count(to.view.shape) == 0) return {};
  if (overlaps_itself(to.view))
    throw UserError("", "the output's view overlaps itself: one place would be written twice");
  // Boxes of different pieces of memory stay apart.
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<CopyBox>> by_piece;
  for (const CopyBox& whole : Splitter(from, to).run())
    for (CopyBox& box : cut_between_pieces(whole, from, to))
      by_piece[{from.piece_at(box.read), to.piece_at(box.write)}].push_back(std::move(box));
  std::vector<CopyBox> boxes;
  for (auto& [pieces, some] : by_piece)
    for (CopyBox& box : joined(std::move(some))) boxes.push_back(std::move(box));
  return boxes;
}

// The padding behind each dimension in turn, inside those before it. One element is read for all of it.
std::vector<CopyBox> zero_padding(const CopySide& to) {
  CopySide part = to;
  part.layout = to.layout.filled();
  const Shape &shape = to.layout.shape(), &filled = part.layout.shape();
  View inside = View::of(filled);
  std::vector<CopyBox> boxes;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto dim = static_cast<std::int64_t>(d);
    part.view = inside.narrowed(dim, shape[d], filled[d] - shape[d]);
    const View zero{part.view.shape, std::vector<std::int64_t>(shape.size(), 0)};
    for (CopyBox& box : plan_copy({Layout::plain({1}), zero}, part)) {
      box.zeros = true;
      boxes.push_back(std::move(box));
    }
    inside = inside.narrowed(dim, 0, shape[d]);
  }
  return boxes;
}

CopyBound copy_bound(const CopySide& from, const CopySide& to) {
  CopyBound bound;
  if (element_count(to.view.shape) == 0) return bound;
  std::vector<std::int64_t> source;  // of each place of the output
  const auto set = [](std::vector<bool>& places, std::size_t place) {
    if (place >= places.size()) places.resize(place + 1, false);
    places[place] = true;
  };
  std::vector<std::int64_t> x(to.view.shape.size(), 0);
  do {
    const auto place = static_cast<std::size_t>(to.place_of(x)), origin = static_cast<std::size_t>(from.place_of(x));
    set(bound.writes, place);
    set(bound.reads, origin);
    source.resize(bound.writes.size());
    source[place] = static_cast<std::int64_t>(origin);
  } while (next_coordinate(to.view.shape, x));
  for (std::size_t i = 0; i < source.size(); ++i)
    bound.runs += bound.writes[i] && (i == 0 || !bound.writes[i - 1] || source[i - 1] + 1 != source[i]);
  bound.read = std::count(bound.reads.begin(), bound.reads.end(), true);
  bound.written = std::count(bound.writes.begin(), bound.writes.end(), true);
  return bound;
}

}  // namespace tilewright
