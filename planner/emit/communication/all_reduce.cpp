#include "planner/emit/communication/all_reduce.h"

#include <algorithm>
#include <set>

#include "planner/emit/communication/participants.h"
#include "planner/emit/communication/program_writer.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr Bytes kElement = 4;  // fp32
// Tokens of every core.
constexpr int kLoaded = 0, kMayAdd = 1, kAdded = 2, kGathered = 3;
// Flags of every core: partial sums have arrived (of child k: kPartials + k), there is room for more of them at the
// parent, results have arrived.
constexpr int kPartials = 0, kRoom = 1000, kResults = 1001;
// By number of who has it: a piece of its share has been added up.
constexpr int kShare = 0;
// Whose sums are asked for before the first is handed out.
constexpr std::ptrdiff_t kPiecesAhead = 2;
constexpr Bytes kPieceBytes = 16384, kNetworkPieceBytes = 2048;

struct ReducedPiece {
  std::int64_t begin = 0, count = 0;  // elements
};

// What the algorithms share: who takes part, and the instructions for one piece.
class AllReduceWriter {
 public:
  AllReduceWriter(const Hardware& hardware, const AllReduceJob& job)
      : hardware_(hardware),
        job_(job),
        write_(hardware, "all-reduce"),
        elements_(job.bytes / kElement),
        piece_bytes_(job.piece_bytes.value_or(job.algorithm == AllReduce::kNetwork ? kNetworkPieceBytes : kPieceBytes)),
        owners_(evenly_spaced(job.cores)),
        first_(job.cores.empty() ? 0 : *std::ranges::min_element(job.cores)) {}

  Program run() {
    check();
    load();
    write_.begin_operator("all-reduce");
    for (int rank = 0; rank < ranks(); ++rank) take_part(rank);
    store();
    return write_.finish();
  }

 private:
  int ranks() const { return static_cast<int>(job_.cores.size()); }
  int core(int rank) const { return job_.cores[static_cast<std::size_t>((rank + ranks()) % ranks())]; }

  void check() const {
    check_participants(hardware_, job_.cores, 2);
    const Bytes room = std::min(hardware_.core.buffer_a, hardware_.core.buffer_b);
    if (job_.bytes < kElement * ranks() || job_.bytes % kElement != 0 || job_.bytes > room)
      throw UserError("bytes", fmt::format("got {}, expected a multiple of {} from {} to {}, what the buffers hold",
                                           job_.bytes, kElement, kElement * ranks(), room));
    if (job_.algorithm == AllReduce::kNetwork) check_network();
    if (piece_bytes_ < kElement || piece_bytes_ % kElement != 0)
      throw UserError("piece", fmt::format("got {} bytes, expected a multiple of {}", piece_bytes_, kElement));
  }

  void check_network() const {
    if (hardware_.network.reduction == 0)
      throw UserError("network.reduction", fmt::format("the network of '{}' adds nothing", hardware_.name));
    if (!owners_)
      throw UserError("cores", "a sum is of cores at even distances in number: a row, a column, a rectangle, all");
  }

  void load() {
    if (job_.from_memory) in_ = write_.segment("in", SegmentKind::kInput, DataType::kFp32, ranks() * job_.bytes);
    write_.begin_operator("load");
    for (int rank = 0; rank < ranks(); ++rank) {
      if (job_.from_memory)
        write_.move(core(rank), TransferKind::kLoad, DataType::kFp32, elements_,
                    {Space::kDram, in_ + rank * job_.bytes}, {Space::kBufferA, 0});
      Instruction& barrier = write_.add(core(rank), Unit::kLoad, Barrier{0, ranks()});
      barrier.posts.add(kLoaded);
      if (adds(rank)) barrier.posts.add(kMayAdd);
    }
  }

  void store() {
    if (!job_.from_memory) return;
    const Address out = write_.segment("out", SegmentKind::kOutput, DataType::kFp32, ranks() * job_.bytes);
    write_.begin_operator("store");
    for (int rank = 0; rank < ranks(); ++rank) {
      Instruction& stored = write_.move(core(rank), TransferKind::kStore, DataType::kFp32, elements_,
                                        {Space::kBufferA, 0}, {Space::kDram, out + rank * job_.bytes});
      if (job_.algorithm == AllReduce::kNetwork) stored.waits.add(kGathered);
    }
  }

  void take_part(int rank) {
    switch (job_.algorithm) {
      case AllReduce::kRing:
        return ring(rank);
      case AllReduce::kTree:
      case AllReduce::kNaive:
        return tree(rank);
      case AllReduce::kNetwork:
        return network(rank);
    }
  }

  std::vector<ReducedPiece> pieces(std::int64_t begin, std::int64_t end, Bytes piece_bytes) const {
    std::vector<ReducedPiece> pieces;
    const std::int64_t step = piece_bytes / kElement;
    for (; begin < end; begin += step) pieces.push_back({begin, std::min(step, end - begin)});
    return pieces;
  }

  // `staged`: where the piece lies in the other core's buffer B.
  void send_partial(int rank, const ReducedPiece& piece, int to, Address staged, int flag, bool wait_for_sum) {
    Instruction& sent = write_.move(core(rank), TransferKind::kStore, DataType::kFp32, piece.count,
                                    {Space::kBufferA, piece.begin * kElement}, {Space::kBufferB, staged, {}, core(to)});
    if (wait_for_sum) sent.waits.add(kAdded);
    take_start(rank, sent);
    write_.signal(core(rank), Unit::kStore, core(to), flag);
  }

  void send_result(int rank, const ReducedPiece& piece, int to, bool wait_for_sum) {
    const Address place = piece.begin * kElement;
    Instruction& sent = write_.move(core(rank), TransferKind::kStore, DataType::kFp32, piece.count,
                                    {Space::kBufferA, place}, {Space::kBufferA, place, {}, core(to)});
    if (wait_for_sum) sent.waits.add(kAdded);
    take_start(rank, sent);
    write_.signal(core(rank), Unit::kStore, core(to), kResults);
  }

  bool adds(int rank) const {
    if (job_.algorithm == AllReduce::kNetwork) return false;
    return job_.algorithm == AllReduce::kRing || !children_of(rank).empty();
  }

  // The first instruction of each stream comes after the barrier.
  void take_start(int rank, Instruction& instruction) {
    const bool store = instruction.unit == Unit::kStore;
    std::set<int>& started = store ? storing_ : adding_;
    if (started.insert(rank).second) instruction.waits.add(store ? kLoaded : kMayAdd);
  }

  void add_staged(int rank, const ReducedPiece& piece, Address staged, bool post) {
    const Strides strides{0, 0, 0, 0, kElement};
    Vector sum;
    sum.op = VectorOp::kAdd;
    sum.shape = {1, 1, 1, 1, piece.count};
    sum.a = sum.target = {Space::kBufferA, piece.begin * kElement, strides, DataType::kFp32};
    sum.b = {Space::kBufferB, staged, strides, DataType::kFp32};
    Instruction& added = write_.add(core(rank), Unit::kVector, sum);
    take_start(rank, added);
    if (post) added.posts.add(kAdded);
  }

  std::vector<ReducedPiece> chunk(int number) const {
    const int n = ranks(), c = (number % n + n) % n;
    return pieces(elements_ * c / n, elements_ * (c + 1) / n, piece_bytes_);
  }

  // In step t a core passes on what it added in step t - 1; each step has a place of its own in buffer B.
  void ring(int rank) {
    const int n = ranks();
    const Bytes room = ceil_div<std::int64_t>(elements_, n) * kElement;
    const auto staged = [&](int step, const ReducedPiece& first, const ReducedPiece& piece) {
      return step * room + (piece.begin - first.begin) * kElement;
    };
    for (int step = 0; step < n - 1; ++step) {
      const std::vector<ReducedPiece> sent = chunk(rank - step), received = chunk(rank - 1 - step);
      for (const ReducedPiece& piece : sent)
        send_partial(rank, piece, rank + 1, staged(step, sent[0], piece), kPartials, step > 0);
      for (const ReducedPiece& piece : received) {
        write_.wait(core(rank), Unit::kVector, kPartials);
        add_staged(rank, piece, staged(step, received[0], piece), true);
      }
    }
    for (int step = 0; step < n - 1; ++step)
      for (const ReducedPiece& piece : chunk(rank + 1 - step)) {
        if (step > 0) write_.wait(core(rank), Unit::kStore, kResults);
        send_result(rank, piece, rank + 1, step == 0);
      }
    write_.wait(core(rank), Unit::kStore, kResults, static_cast<int>(chunk(rank + 2).size()));
  }

  // Piece by piece, so that the sums of some are formed while earlier ones are handed out. All read the same
  // core at the same time: a network that copies has to send each piece once.
  void network(int rank) {
    std::vector<std::vector<ReducedPiece>> shares;
    for (int other = 0; other < ranks(); ++other) shares.push_back(chunk(other));
    std::ptrdiff_t most = 0;
    for (const auto& share : shares) most = std::max(most, std::ssize(share));
    for (std::ptrdiff_t number = 0; number < most + kPiecesAhead; ++number) {
      if (number < std::ssize(shares[rank])) add_up(rank, shares[rank][number]);
      const std::ptrdiff_t summed = number - kPiecesAhead;
      for (int other = 0; summed >= 0 && other < ranks(); ++other)
        if (other != rank && summed < std::ssize(shares[other])) gather(rank, other, shares[other][summed]);
    }
    if (job_.from_memory) write_.last(core(rank)).posts.add(kGathered);
  }

  void add_up(int rank, const ReducedPiece& piece) {
    const Address place = piece.begin * kElement;
    Instruction& sum = write_.move(core(rank), TransferKind::kLoad, DataType::kFp32, piece.count,
                                   {Space::kBufferA, place, {}, first_}, {Space::kBufferA, place});
    std::get<Transfer>(sum.payload).summed = *owners_;
    sum.posts.add(kAdded);
    for (int step = 1; step < ranks(); ++step) {
      Instruction& told = write_.add(core(rank), Unit::kStore, Signal{core(rank + step), kShare + rank});
      if (step == 1) told.waits.add(kAdded);
      take_start(rank, told);
    }
  }

  void gather(int rank, int from, const ReducedPiece& piece) {
    write_.wait(core(rank), Unit::kLoad, kShare + from);
    const Address place = piece.begin * kElement;
    write_.move(core(rank), TransferKind::kLoad, DataType::kFp32, piece.count, {Space::kBufferA, place, {}, core(from)},
                {Space::kBufferA, place});
  }

  int parent_of(int rank) const {
    if (job_.algorithm == AllReduce::kNaive) return rank == 0 ? -1 : 0;
    return parent_in_tree(rank);
  }
  std::vector<int> children_of(int rank) const {
    if (job_.algorithm != AllReduce::kNaive) return children_in_tree(rank, ranks());
    std::vector<int> children;
    for (int child = 1; rank == 0 && child < ranks(); ++child) children.push_back(child);
    return children;
  }

  // Buffer B of a parent: for every child an area of `slots` pieces.
  struct Staging {
    Bytes area = 0, piece = 0;
    std::size_t slots = 1;
    Address place(std::size_t child, std::size_t number) const {
      return static_cast<Bytes>(child) * area + static_cast<Bytes>(number % slots) * piece;
    }
  };
  Staging staging() const {
    std::size_t most = 1;
    for (int rank = 0; rank < ranks(); ++rank) most = std::max(most, children_of(rank).size());
    Staging staging;
    staging.area = hardware_.core.buffer_b / static_cast<Bytes>(most) / kElement * kElement;
    staging.piece = std::min(piece_bytes_, staging.area);
    staging.slots = static_cast<std::size_t>(staging.area / staging.piece);
    return staging;
  }

  void tree(int rank) {
    const Staging places = staging();
    const std::vector<ReducedPiece> all = pieces(0, elements_, places.piece);
    const std::vector<int> children = children_of(rank);
    if (!children.empty()) add_children(rank, all, children, places);
    if (parent_of(rank) >= 0) send_up(rank, all, !children.empty(), places);
    send_down(rank, all, children);
  }

  void add_children(int rank, const std::vector<ReducedPiece>& all, const std::vector<int>& children,
                    const Staging& places) {
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t child = 0; child < children.size(); ++child) {
        write_.wait(core(rank), Unit::kVector, kPartials + static_cast<int>(child));
        add_staged(rank, all[i], places.place(child, i), child + 1 == children.size());
        if (i + places.slots < all.size()) write_.signal(core(rank), Unit::kVector, core(children[child]), kRoom);
      }
  }

  void send_up(int rank, const std::vector<ReducedPiece>& all, bool sums, const Staging& places) {
    const int parent = parent_of(rank);
    const std::vector<int> siblings = children_of(parent);
    const auto number = std::find(siblings.begin(), siblings.end(), rank) - siblings.begin();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i >= places.slots) write_.wait(core(rank), Unit::kStore, kRoom);
      send_partial(rank, all[i], parent, places.place(static_cast<std::size_t>(number), i),
                   kPartials + static_cast<int>(number), sums);
    }
  }

  void send_down(int rank, const std::vector<ReducedPiece>& all, const std::vector<int>& children) {
    const bool root = parent_of(rank) < 0;
    for (const ReducedPiece& piece : all) {
      if (!root) write_.wait(core(rank), Unit::kStore, kResults);
      for (const int child : children) send_result(rank, piece, child, root && child == children.front());
    }
  }

  const Hardware& hardware_;
  const AllReduceJob& job_;
  ProgramWriter write_;
  const std::int64_t elements_;
  const Bytes piece_bytes_;
  const std::optional<Owners> owners_;  // the cores, as far as they are evenly spaced
  const int first_;                     // the lowest of them
  Address in_ = 0;
  std::set<int> storing_, adding_;  // ranks whose stream has begun
};

}  // namespace

Program all_reduce_program(const Hardware& hardware, const AllReduceJob& job) {
  return AllReduceWriter(hardware, job).run();
}

double all_reduce_bound(const Hardware& hardware, const AllReduceJob& job) {
  const auto n = static_cast<double>(job.cores.size());
  const double share = job.algorithm == AllReduce::kNetwork ? (n + 1) / n : 2 * (n - 1) / n;
  return share * static_cast<double>(job.bytes) / hardware.ports_bytes_per_cycle();
}

}  // namespace tilewright
