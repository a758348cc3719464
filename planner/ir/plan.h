// What the passes hand on: the graph with, for every tensor, where it lies, and for every operator, who computes which
// part with which tiling and which instructions; at the end one linked program.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/ir/label.h"
#include "planner/ir/range.h"
#include "planner/ir/split_index.h"
#include "planner/ir/strategy.h"
#include "planner/ir/tiling.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

// Of a constant, in another region than the piece itself, for the cores next to it (passes/replicate).
struct PieceCopy {
  Address address = 0;
  int region = 0;
};
// A tensor in memory is cut along one dimension into pieces; each piece is contiguous in itself but for gaps between
// its rows.
struct PlacedPiece {
  Range range;           // of TensorPlan::split_dimension
  Address address = 0;   // in the chip's map (sim/isa/chip_map.h), instructions up to the pass `link` included
  int region = 0;        // of DRAM
  int cluster = -1;      // in whose addressed memory it lies; -1: in DRAM
  std::int64_t gap = 0;  // elements behind each row of its innermost dimension (ir/row_pitch.h)
  std::vector<PieceCopy> copies = {};

  bool in_dram() const { return cluster < 0; }
};
struct TensorPlan {
  DataType type = DataType::kBf16;  // as stored and computed with
  int split_dimension = 0;
  // Its dimensions as they lie in each piece, the outermost first; empty: as in its shape.
  std::vector<int> nesting;
  // Ascending, covering the dimension; empty: the tensor is an alias (reshape), or stays on the core (ir/group.h).
  std::vector<PlacedPiece> pieces;
  TensorId alias_of = -1;  // tensor whose memory this one shares, same element order
  // Within alias_of, which may lie within another one itself, where it is a part of it (ir/in_place.h): along this
  // dimension, from this position on; -1: it is all of it.
  int joined_along = -1;
  std::int64_t first = 0;
  // Of an alias that counts the same elements in another order (ir/in_place.h): dimensions of alias_of, those of one
  // element left out, in this tensor's order; each of its own dimensions is none, one or several of them in a row.
  // Empty: the same order.
  std::vector<int> permuted;
  // Of a whole that has no memory of its own, as it lies in its parts (ir/in_place.h): those, one behind the other
  // along this dimension.
  int parted_along = -1;
  std::vector<TensorId> parts;
};

// The part of an operator's output that one core computes. Parts of one operator cover the output without overlap, but
// for those of the same box with different ranges of what is summed over, whose partial results are added up, and for
// windows within a group, whose parts hold all that the next one's need.
struct WorkItem {
  int core = 0;
  BoxRange output;
  Range k;  // of the reduction; empty: all of it
  bool operator==(const WorkItem&) const = default;
};
struct Split {
  std::vector<WorkItem> items;
  std::string reason;  // e.g. "rows 384 over 16 cores", for people
};

// Labels of an operator's operands as it uses them: inputs in order (epilogue operands follow), and its output.
struct OperatorLabels {
  std::vector<DynamicLabel> inputs;
  DynamicLabel output;
  int per_group = 0;  // parts that work in one cluster, groups of them cluster by cluster; 0: all cores in turn
};

// How a part's partial result meets the others of its box. Each tile of it is cut into shares, one or as many as the
// box has parts (ir/label.h, Reduction); of every share the parts form a tree.
struct PartialPlan {
  struct Share {
    int number = 0;
    int parent = -1;            // item that adds this one; -1: the root, whose core finishes the share
    std::vector<int> children;  // items that are added to this one, in this order
    bool operator==(const Share&) const = default;
  };
  std::vector<Share> shares;  // in the order in which the core works on them; empty: the part is no partial one
  // Where the part leaves what it hands on, one tile behind the other in fp32 (int32); without bytes it hands on
  // nothing.
  PlacedPiece place;
  Bytes bytes = 0;

  bool in_dram() const { return bytes > 0 && place.in_dram(); }
};

struct OperatorPlan {
  OperatorLabels labels;
  Split split;
  OperatorId leader = -1;             // whose instructions compute it as well (ir/follower.h); -1: its own
  std::vector<Tiling> tilings;        // matmul and convolution: one per work item
  std::vector<PartialPlan> partials;  // one per work item where partial results are added up; else empty
  // Per core, in plain order, before linking; of a group, with its last operator; of a follower, with its leader.
  std::vector<std::vector<Instruction>> streams;
};

// What the planner is told instead of choosing it. A choice that does not cover the output, or that a core has no room
// for, is the user's error.
struct OperatorChoice {
  OperatorId op = 0;                        // in the graph as folded and fused
  Split split;                              // without items: as the planner splits
  std::vector<Tiling> tilings;              // matmul and convolution, one per work item; empty: as the planner tiles
  std::optional<Reduction> reduction = {};  // of a sum that is cut; nothing: as the strategies say
  // Of a product whose split has no items, in the mode `free`: into how many parts its sum is cut; 0: as the planner
  // does.
  std::int64_t sums = 0;
};

// What is computed together besides what needs no operand, a scalar or a vector of its own: nothing, or operators with
// an element operand in the product before them (ir/epilogue.h) and groups of operators (ir/group.h), where that is
// predicted to pay.
enum class Grouping : std::uint8_t { kNone, kAuto };

// What is computed together, by names of operators as folded and fused.
struct GroupChoice {
  struct Group {
    std::vector<std::string> operators;  // in the order in which they follow one another
    std::string where;                   // file:line, for messages; empty: chosen by predicted time
  };
  // Products and convolutions that no operator with an element operand is fused into.
  std::vector<std::string> apart;
  std::vector<Group> groups;
  std::vector<Group> merged;  // operators that read the same, computed as one (ir/siblings.h)
  std::string source;         // the file it comes from; empty: chosen by predicted time
};

// Where results between operators lie, by names of tensors; those that are not named lie in DRAM.
struct StoreChoice {
  struct Row {
    std::vector<std::string> tensors;
    Store store;
    std::string where;  // file:line, for messages
  };
  std::vector<Row> rows;
};

// Operators computed together, block by block of rows (ir/group.h): what is between them has no place in memory, and
// all their instructions are those of the last one.
struct OperatorGroup {
  std::vector<OperatorId> members;                                 // in order
  std::int64_t batch_parts = 1, row_parts = 1, channel_parts = 1;  // that the result is cut into; channels: of windows
  std::vector<std::int64_t> block_rows;  // of windows, by part: rows of the last result at a time
};

// local: pieces next to the cores that use them. round_robin: piece i in memory i modulo their number. auto: local,
// unless the other is predicted to be faster (planner/search/tiling/plan_network.h).
enum class Placement : std::uint8_t { kAuto, kLocal, kRoundRobin };

// Of images that operators hand on (passes/allocate/nesting.h): as is predicted to be faster, or as their shapes say.
enum class ImageLayout : std::uint8_t { kAuto, kRowMajor };

// Loads of later operators in front of those that wait for other cores (passes/link/early_loads.h): never, always, or
// where a network is predicted to be faster so (planner/search/tiling/plan_network.h).
enum class EarlyLoads : std::uint8_t { kAuto, kNone, kAlways };

struct PlanOptions {
  DataType type = DataType::kBf16;  // type floats are computed and stored in
  bool fuse = true;
  Grouping group = Grouping::kAuto;
  std::optional<GroupChoice> groups;  // nothing: what is predicted to be fastest
  bool merge = true;                  // where `groups` are chosen: operators that read the same may become one
  std::optional<StoreChoice> stores;  // nothing: in cluster memory where that is predicted to be faster
  bool overlap_operators = true;      // false: on each core an operator starts when the one before it is done
  Parallel parallel = Parallel::kFree;
  int cores = 0;                // of the chip, from the first on, that get work; 0: all
  bool by_speed = false;        // parts in proportion to how fast their cores compute; kFree, where clusters differ
  bool convert_inputs = false;  // the network's inputs come in their static type and are converted by the program
  Rounding rounding = Rounding::kCeil;  // of the pieces of a dimension; kFree always cuts evenly
  Placement placement = Placement::kAuto;
  ImageLayout layout = ImageLayout::kAuto;
  EarlyLoads early_loads = EarlyLoads::kAuto;
  bool replicate = true;      // constants lie in the memory next to each of the cores that read them
  bool share_memory = false;  // hidden tensors share memory even where the chip has room for each
  // DRAM, evenly of all regions, kept from tensors for instructions and partial results. 0: a share of it where every
  // tensor has room of its own, else none.
  Bytes program_memory = 0;
  // DRAM that an operator and what is between it and others has to leave to stay whole (passes/decompose); below
  // program_memory: that.
  Bytes decompose_spare = 0;
  Bytes memory_held = 0;  // DRAM, evenly of all regions, that others need: what else a network keeps while a part runs
  std::shared_ptr<const StrategyTable> strategies;  // null: the default table
  // Convolutions of fewer images than an array takes at a time: blocks of rows in their place (ir/image_blocks.h).
  bool image_blocks = true;
  // Convolutions of fewer filters than the array has columns may compute several output columns at a time
  // (ir/abreast.h).
  bool abreast = true;
  bool row_gaps = true;  // rows may lie further apart than they are long (ir/row_pitch.h), where memory is not short
  bool hand_on = true;   // cores may take operands from each other (ir/hand_on.h), where that is predicted to be faster
  bool refine =
      true;  // tilings: closed formulas, then steps that the model of time finds faster; false: the formulas alone
  bool predict = true;  // planner/search/tiling/plan_network.h: tilings of contractions chosen by the queue model
  // Every second partition of a product goes through its sum in reverse and finds what the one before loaded last.
  bool turn_back = true;
  std::vector<OperatorChoice> choices;
  // Execution order by the operators' labels (planner/passes/order/order.h), and the file it comes from; empty: as
  // imported.
  std::vector<std::string> order;
  std::string order_source = "order";
  Bytes decompose_above = 0;  // data of an operator from which it is decomposed; 0: what the chip's memory holds

  const OperatorChoice* choice_of(OperatorId op) const {
    for (const OperatorChoice& choice : choices)
      if (choice.op == op) return &choice;
    return nullptr;
  }
  // Replaces what was chosen for the operator.
  void choose(OperatorChoice choice) {
    std::erase_if(choices, [&](const OperatorChoice& other) { return other.op == choice.op; });
    choices.push_back(std::move(choice));
  }
};

// Everything constant that one core needs, in one run of addresses, loaded once before the program runs.
struct PacketEntry {
  std::string name;
  Bytes offset = 0, bytes = 0;  // offset: in its segment of the packet
};
struct ConstantPacket {
  int core = 0;
  Address address = 0;                 // of the constant segment
  std::vector<PacketEntry> constants;  // instructions first
  std::vector<PacketEntry> addresses;  // of inputs and outputs, 8 bytes each
  std::vector<PacketEntry> hidden;
  Bytes constant_bytes = 0, hidden_bytes = 0;  // totals
};

struct Plan {
  Graph graph;
  Hardware hardware;
  PlanOptions options;
  std::vector<OperatorGroup> groups;    // no operator is in two
  std::vector<OperatorId> order;        // execution order
  std::vector<TensorLabel> labels;      // by TensorId
  std::vector<TensorPlan> tensors;      // by TensorId
  std::vector<OperatorPlan> operators;  // by OperatorId
  Program program;
  std::vector<ConstantPacket> packets;  // one per core that works

  // Cores that get work.
  int cores() const { return options.cores > 0 ? options.cores : hardware.cores(); }
};

// Operators of the program are those of the graph, one further: 0 is "none".
inline std::uint16_t program_operator(OperatorId id) { return static_cast<std::uint16_t>(id + 1); }

}  // namespace tilewright
