// A program of your own that asks a tiling database, as a compiler would: which tiling should this operator take on
// this chip, and how long will it run?
//
//   tilewright db build hw_configs/edge_single.yaml -o tiles.db --random 50       # makes a database: shapes, measured
//   build/examples/database_lookup hw_configs/edge_single.yaml tiles.db 'matmul 1_384_1024_1024 bf16'
//
// A shape is an operator's kind, its sizes and the type of its elements: 'matmul B_M_N_K bf16', or
// 'conv N_H_W_Ci_Co_Kh_Kw_S bf16' (images, rows, columns, channels in and out, kernel, stride).
#include <fmt/format.h>

#include "planner/search/database/tiling_lookup.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"

using namespace tilewright;

// A record is a shape that was searched and measured. It serves its own shape and larger ones that repeat it; the cost
// of those is a prediction, with a bound that holds nine times in ten (docs/tiling_database.md).
static void print(const OperatorShape& shape, const Hit& hit) {
  fmt::print("{}\n", to_string(shape));
  fmt::print("  record     {} ({})\n", to_string(hit.record->shape), name_of(hit.match));
  fmt::print("  tiling     {}\n", to_string(hit.record->point));
  fmt::print("  measured   {} cycles, the record itself\n", hit.record->cost.cycles);
  fmt::print("  predicted  {:.0f} cycles ± {:.0f} %\n", hit.predicted.cycles, 100 * hit.error_bound);
}

static void look_up(int shapes, char** texts, const Hardware& chip, const TilingIndex& index) {
  for (int i = 0; i < shapes; ++i) {
    const OperatorShape shape = parse_operator_shape(texts[i], "SHAPE");
    // The chip decides whether a record's tiling fits the larger shape; there may be no record that serves it.
    const std::optional<Hit> hit = lookup_on(index, shape, chip);
    if (hit)
      print(shape, *hit);
    else
      fmt::print("{}\n  no record serves this shape\n", to_string(shape));
  }
}

int main(int argc, char** argv) {
  try {
    if (argc < 4) throw UserError("", "expected: database_lookup HARDWARE DATABASE SHAPE...");
    const Hardware chip = load_hardware(argv[1]);
    const auto database = std::make_shared<const TilingDatabase>(argv[2], TilingDatabase::Mode::kRead);
    // Costs are comparable within a context only: this chip, this version of the simulator, tilings for few cycles.
    const TilingIndex index(database, context_of(chip, Objective::kCycles));
    if (index.empty()) throw UserError(argv[2], "has no record of this chip by this version of the simulator");
    look_up(argc - 3, argv + 3, chip, index);
  } catch (const UserError& mistake) {  // says which file, and where in it
    fmt::print(stderr, "error: {}\n", mistake.what());
    return 2;
  }
  return 0;
}

// The library of the simulation kernel asks for this entry; nothing is simulated here.
extern "C" int sc_main(int, char**) { return 0; }
