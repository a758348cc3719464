#include "planner/emit/communication/broadcast.h"

#include <algorithm>

#include "planner/emit/communication/participants.h"
#include "planner/emit/communication/program_writer.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Token of every core: a piece has been read. Flag: one has arrived.
constexpr int kRead = 0, kHandedOn = 0;

struct Span {
  Bytes begin = 0, count = 0;
};

class BroadcastWriter {
 public:
  BroadcastWriter(const Hardware& hardware, const BroadcastJob& job)
      : hardware_(hardware), job_(job), write_(hardware, "broadcast"), n_(static_cast<int>(job.cores.size())) {}

  Program run() {
    check_participants(hardware_, job_.cores, 2);
    if (job_.bytes < n_ || job_.bytes > hardware_.core.buffer_a)
      throw UserError("bytes", fmt::format("got {}, expected {} to {}, what buffer A holds", job_.bytes, n_,
                                           hardware_.core.buffer_a));
    if (job_.piece_bytes < 1)
      throw UserError("piece", fmt::format("got {} bytes, expected 1 or more", job_.piece_bytes));
    in_ = write_.segment("in", SegmentKind::kConstant, DataType::kInt8, job_.bytes);
    write_.begin_operator("start");
    for (const int core : job_.cores) write_.add(core, Unit::kLoad, Barrier{0, n_});
    write_.begin_operator("broadcast");
    for (int rank = 0; rank < n_; ++rank) take_part(rank);
    if (job_.keep) store();
    return write_.finish();
  }

 private:
  int core(int rank) const { return job_.cores[static_cast<std::size_t>(rank % n_)]; }

  std::vector<Span> pieces(Bytes begin, Bytes end) const {
    std::vector<Span> pieces;
    for (; begin < end; begin += job_.piece_bytes) pieces.push_back({begin, std::min(job_.piece_bytes, end - begin)});
    return pieces;
  }
  std::vector<Span> share(int rank) const {
    const int number = (rank % n_ + n_) % n_;
    return pieces(job_.bytes * number / n_, job_.bytes * (number + 1) / n_);
  }

  void take_part(int rank) {
    switch (job_.algorithm) {
      case Broadcast::kLoads:
        for (const Span& piece : pieces(0, job_.bytes)) read(rank, piece);
        return;
      case Broadcast::kChain:
        return pass_down(rank, rank + 1 < n_ ? std::vector{rank + 1} : std::vector<int>{});
      case Broadcast::kTree:
        return pass_down(rank, children_in_tree(rank, n_));
      case Broadcast::kRotate:
        return rotate(rank);
    }
  }

  Instruction& read(int rank, const Span& piece) {
    return write_.move(core(rank), TransferKind::kLoad, DataType::kInt8, piece.count, {Space::kDram, in_ + piece.begin},
                       {Space::kBufferA, piece.begin});
  }

  Instruction& hand_on(int rank, const Span& piece, int to) {
    return write_.move(core(rank), TransferKind::kStore, DataType::kInt8, piece.count, {Space::kBufferA, piece.begin},
                       {Space::kBufferA, piece.begin, {}, core(to)});
  }

  // The root reads, everybody else waits for each piece; then it goes to the children.
  void pass_down(int rank, const std::vector<int>& children) {
    for (const Span& piece : pieces(0, job_.bytes)) {
      if (rank == 0) {
        read(rank, piece).posts.add(kRead);
      } else {
        write_.wait(core(rank), Unit::kStore, kHandedOn);
      }
      for (const int child : children) {
        Instruction& sent = hand_on(rank, piece, child);
        if (rank == 0 && child == children.front()) sent.waits.add(kRead);
        write_.signal(core(rank), Unit::kStore, core(child), kHandedOn);
      }
    }
  }

  // In step t a core hands on the share of the core t places before it.
  void rotate(int rank) {
    for (const Span& piece : share(rank)) read(rank, piece).posts.add(kRead);
    for (int step = 0; step < n_ - 1; ++step)
      for (const Span& piece : share(rank - step)) {
        if (step > 0) write_.wait(core(rank), Unit::kStore, kHandedOn);
        Instruction& sent = hand_on(rank, piece, rank + 1);
        if (step == 0) sent.waits.add(kRead);
        write_.signal(core(rank), Unit::kStore, core(rank + 1), kHandedOn);
      }
    write_.wait(core(rank), Unit::kStore, kHandedOn, static_cast<int>(share(rank + 1).size()));
  }

  // Behind a barrier of the load streams, which orders the loads; the stores before are in its own stream.
  void store() {
    const Address out = write_.segment("out", SegmentKind::kOutput, DataType::kInt8, n_ * job_.bytes);
    write_.begin_operator("store");
    for (int rank = 0; rank < n_; ++rank) {
      write_.add(core(rank), Unit::kLoad, Barrier{1, n_}).posts.add(kRead + 1);
      write_
          .move(core(rank), TransferKind::kStore, DataType::kInt8, job_.bytes, {Space::kBufferA, 0},
                {Space::kDram, out + rank * job_.bytes})
          .waits.add(kRead + 1);
    }
  }

  const Hardware& hardware_;
  const BroadcastJob& job_;
  ProgramWriter write_;
  const int n_;
  Address in_ = 0;
};

}  // namespace

Program broadcast_program(const Hardware& hardware, const BroadcastJob& job) {
  return BroadcastWriter(hardware, job).run();
}

}  // namespace tilewright
