// One in-order stream of a core in a replay: what is queued, what has started, what has completed.
#pragma once

#include <vector>

#include "sim/base/units.h"
#include "sim/isa/instruction.h"

namespace tilewright {

class ReplayStream {
 public:
  void push(const Instruction& instruction) {
    list_.push_back(&instruction);
    ready_.push_back(kNever);
  }
  std::size_t queued() const { return list_.size() - started_; }
  // The next to start; nullptr when none is queued or a barrier stands in front of it.
  const Instruction* head() const { return queued() == 0 || barred_ ? nullptr : list_[started_]; }
  // Starts the head; returns its number, by which finish() says from when on it may complete.
  std::size_t start() {
    barred_ = std::holds_alternative<Barrier>(list_[started_]->payload);
    return started_++;
  }
  void finish(std::size_t number, Picoseconds time) { ready_[number] = time; }

  // The oldest that has started and not completed; nullptr when there is none.
  const Instruction* oldest() const { return completed_ == started_ ? nullptr : list_[completed_]; }
  Picoseconds oldest_ready() const { return completed_ == started_ ? kNever : ready_[completed_]; }
  void complete() { ++completed_; }

  // The barrier that is the oldest, when it has not been reported before; else nullptr.
  const Barrier* reached() {
    const Instruction* instruction = barred_ && !told_ ? oldest() : nullptr;
    const Barrier* barrier = instruction ? std::get_if<Barrier>(&instruction->payload) : nullptr;
    told_ = told_ || barrier;
    return barrier;
  }
  void release(Picoseconds now) {
    ready_[completed_] = now;
    barred_ = told_ = false;
  }
  bool idle() const { return completed_ == list_.size(); }

 private:
  std::vector<const Instruction*> list_;
  std::vector<Picoseconds> ready_;
  std::size_t started_ = 0, completed_ = 0;
  bool barred_ = false, told_ = false;
};

}  // namespace tilewright
