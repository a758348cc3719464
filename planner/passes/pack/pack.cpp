#include "planner/passes/pack/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "planner/constants/constants.h"
#include "planner/ir/access.h"
#include "planner/ir/constant_copies.h"
#include "planner/ir/label_check.h"
#include "planner/ir/region_allocator.h"
#include "sim/base/error.h"
#include "sim/isa/binary.h"
#include "sim/isa/dram_boxes.h"
#include "sim/isa/program.h"
#include "sim/isa/request_splitter.h"
#include "sim/isa/verify/verify.h"

namespace tilewright {
namespace {

constexpr Bytes kAddressBytes = 8;

// Segments that move together.
struct Run {
  Bytes bytes = 0;
  int region = 0;  // where they lie if there is room
  std::string what;
  std::vector<std::pair<std::size_t, Bytes>> segments;  // each with its offset
};

class Packer {
 public:
  explicit Packer(Plan& plan)
      : plan_(plan),
        segments_(plan.program.segments),
        table_(plan.program),
        touched_by_(segments_.size()),
        read_(segments_.size(), 0),
        owned_(plan.hardware.cores()),
        addressed_(plan.hardware.cores()),
        moved_to_(segments_.size(), -1) {}

  void run() {
    find_users();
    give_to_cores();
    for (int core = 0; core < plan_.hardware.cores(); ++core) add_packet(core);
    add_rest();
    place_runs();
    move_addresses();
  }

 private:
  // Cores that touch each segment, ascending.
  void find_users() {
    for (std::size_t core = 0; core < plan_.program.cores.size(); ++core) {
      if (!plan_.program.cores[core].instructions.empty())
        use(plan_.program.cores[core].fetch_address, static_cast<int>(core));
      for (Instruction& instruction : plan_.program.cores[core].instructions)
        for (const Box* box : dram_boxes(instruction)) {
          use(box->address, static_cast<int>(core));
          read_[table_.find(box->address, box->address + 1)] += bytes_of(instruction);
        }
    }
  }
  void use(Address address, int core) {
    std::vector<int>& users = touched_by_[table_.find(address, address + 1)];
    if (users.empty() || users.back() != core) users.push_back(core);
  }

  static Bytes bytes_of(const Instruction& instruction) {
    const auto& transfer = std::get<Transfer>(instruction.payload);
    return element_count(unpadded(transfer)) * tilewright::bytes_of(transfer.type);
  }

  int region_of(int core) const {
    if (plan_.options.placement == Placement::kRoundRobin) return core % plan_.hardware.dram.regions;
    return plan_.hardware.local_region(plan_.hardware.cluster_of(core));
  }

  // Segments of tensors whose pieces lie in all memories: cores begin with those of different ones.
  std::vector<bool> spread() const {
    std::vector<bool> spread(segments_.size(), false);
    for (const TensorPlan& tensor : plan_.tensors) {
      std::set<int> regions;
      for (const PlacedPiece& piece : tensor.pieces) regions.insert(piece.region);
      if (std::ssize(regions) < plan_.hardware.dram.regions) continue;
      for (const PlacedPiece& piece : tensor.pieces)
        if (piece.in_dram()) spread[table_.find(piece.address, piece.address + 1)] = true;
    }
    return spread;
  }

  // A segment goes to a core that touches it. What several read lies with the one whose memory holds least so far, so
  // that no memory serves them all, but for what is spread over all of them already. Of a table only the rows that are
  // read count: the others load no memory.
  void give_to_cores() {
    std::vector<Bytes> held(plan_.hardware.dram.regions, 0);
    const std::vector<bool> stays = spread();
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      const std::vector<int>& users = touched_by_[i];
      if (users.empty()) continue;
      const int region = plan_.hardware.dram.region_of(segments_[i].address);
      // Next to it first, where it stays; then whose memory holds least.
      const auto rank = [&](int core) {
        return std::pair{stays[i] && region_of(core) != region, held[region_of(core)]};
      };
      const int owner = *std::ranges::min_element(users, {}, rank);
      owned_[owner].push_back(i);
      const SegmentKind kind = segments_[i].kind;
      if (kind == SegmentKind::kConstant) held[region_of(owner)] += std::min(segments_[i].bytes, read_[i]);
      if (kind == SegmentKind::kInput || kind == SegmentKind::kOutput || kind == SegmentKind::kState)
        for (const int user : users) addressed_[user].push_back(i);
    }
  }

  // What was given to the core, of one kind, in the order of the program's segments.
  std::vector<std::size_t> owned(int core, SegmentKind kind) const {
    std::vector<std::size_t> mine;
    for (const std::size_t i : owned_[core])
      if (segments_[i].kind == kind) mine.push_back(i);
    return mine;
  }

  std::vector<PacketEntry> entries_of(const std::vector<std::size_t>& segments) const {
    std::vector<PacketEntry> entries;
    for (const std::size_t i : segments) entries.push_back({segments_[i].name, 0, segments_[i].bytes});
    return entries;
  }

  void add_packet(int core) {
    std::vector<std::size_t> constants = owned(core, SegmentKind::kInstructions);
    if (constants.empty()) return;
    for (const std::size_t i : owned(core, SegmentKind::kConstant)) constants.push_back(i);
    const std::vector<std::size_t> hidden = owned(core, SegmentKind::kHidden);
    ConstantPacket packet{.core = core};
    packet.constants = entries_of(constants);
    packet.hidden = entries_of(hidden);
    packet.constant_bytes = set_offsets(packet.constants, tilewright::constants().tensor_alignment);
    packet.hidden_bytes = set_offsets(packet.hidden, tilewright::constants().tensor_alignment);
    for (const std::size_t i : addressed_[core]) packet.addresses.push_back({segments_[i].name, 0, kAddressBytes});
    set_offsets(packet.addresses, kAddressBytes);
    Run run{packet.constant_bytes, region_of(core), fmt::format("the constants of core {}", core), {}};
    for (std::size_t i = 0; i < constants.size(); ++i)
      run.segments.emplace_back(constants[i], packet.constants[i].offset);
    runs_.push_back(std::move(run));
    plan_.packets.push_back(std::move(packet));
  }

  // Everything else stays in its memory.
  void add_rest() {
    std::vector<bool> packed(segments_.size(), false);
    for (const Run& run : runs_)
      for (const auto& [segment, offset] : run.segments) packed[segment] = true;
    for (std::size_t i = 0; i < segments_.size(); ++i)
      if (!packed[i])
        runs_.push_back(
            {segments_[i].bytes, plan_.hardware.dram.region_of(segments_[i].address), segments_[i].name, {{i, 0}}});
  }

  // Where memories are short, what is large is placed first, while they are empty.
  void place_runs() {
    try {
      place_in_order();
    } catch (const NoRoomInDram&) {
      std::ranges::stable_sort(runs_, std::greater{}, &Run::bytes);
      place_in_order();
    }
  }

  void place_in_order() {
    RegionAllocator allocator(plan_.hardware);
    for (const Run& run : runs_) {
      const Address base = allocator.allocate(run.bytes, run.region, run.what).address;
      for (const auto& [segment, offset] : run.segments) moved_to_[segment] = base + offset;
    }
  }

  void move(Address& address) {
    const int segment = table_.find(address, address + 1);
    SIM_CHECK(segment >= 0, "address {} lies in no segment", address);
    address += moved_to_[segment] - segments_[segment].address;
  }

  // A piece, or a copy of one.
  template <typename Piece>
  void move_piece(Piece& piece) {
    move(piece.address);
    piece.region = plan_.hardware.dram.region_of(piece.address);
  }

  void move_addresses() {
    for (CoreProgram& core : plan_.program.cores) {
      if (!core.instructions.empty()) move(core.fetch_address);
      for (Instruction& instruction : core.instructions)
        for (Box* box : dram_boxes(instruction)) move(box->address);
    }
    for (ConstantPacket& packet : plan_.packets)  // begins with its instructions
      packet.address = plan_.program.cores[packet.core].fetch_address;
    for (TensorPlan& tensor : plan_.tensors)
      for (PlacedPiece& piece : tensor.pieces) {
        if (piece.in_dram()) move_piece(piece);
        for (PieceCopy& copy : piece.copies) move_piece(copy);
      }
    for (OperatorPlan& op : plan_.operators)
      for (PartialPlan& partial : op.partials)
        if (partial.in_dram()) move_piece(partial.place);
    for (std::size_t i = 0; i < segments_.size(); ++i) plan_.program.segments[i].address = moved_to_[i];
  }

  Plan& plan_;
  const std::vector<Segment> segments_;  // as they lay before
  const SegmentTable table_;
  std::vector<std::vector<int>> touched_by_;
  std::vector<Bytes> read_;                                  // by all cores, what several read as often
  std::vector<std::vector<std::size_t>> owned_, addressed_;  // segments, by core
  std::vector<Run> runs_;
  std::vector<Address> moved_to_;
};

// False: there is no room beside the copies of constants, and the program has fewer now.
bool packed(Plan& plan) {
  try {
    plan.packets.clear();
    Packer(plan).run();
    return true;
  } catch (const NoRoomInDram&) {
    if (!take_back_largest_copies(plan)) throw;
    return false;
  }
}

}  // namespace

Bytes set_offsets(std::vector<PacketEntry>& entries, Bytes alignment) {
  Bytes end = 0;
  for (PacketEntry& entry : entries) {
    entry.offset = round_up(end, alignment);
    end = entry.offset + entry.bytes;
  }
  return end;
}

void pack(Plan& plan) {
  while (!packed(plan)) {
  }
}

void verify_pack(const Plan& plan) {
  expect_legal(plan.program, plan.hardware);
  expect_labels_hold(plan);
  std::unordered_map<std::string_view, Address> places;
  for (const Segment& segment : plan.program.segments) places.emplace(segment.name, segment.address);
  for (const ConstantPacket& packet : plan.packets)
    for (const PacketEntry& entry : packet.constants) {
      const auto place = places.find(entry.name);
      SIM_CHECK(place != places.end() && place->second == packet.address + entry.offset,
                "'{}' is not where the packet of core {} has it", entry.name, packet.core);
    }
}

}  // namespace tilewright
