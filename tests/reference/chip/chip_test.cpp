// Whole chips beside ONNXim, and its mapping heuristic on the GEMMs whose tiles it published.
#include "cli/validate/chip.h"

#include <gtest/gtest.h>

#include "cli/validate/onnxim_mapping.h"
#include "sim/base/error.h"
#include "sim/hw/resolve.h"

namespace tilewright {
namespace {

Hardware four_cores() { return load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/tpu_v4_like_simple.yaml"); }
Hardware one_core() { return load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/tpu_v4_like_simple_one_core.yaml"); }

// docs/validation.md says which plans of ours are slower than ONNXim's and by how much; this bounds the worst.
TEST(Chip, ItsTilesWithinTenPercentAndOursNotFarBehind) {
  Session four(four_cores()), one(one_core());
  const ValidationReport report = validate_chip(TILEWRIGHT_SOURCE_DIR "/tests/reference/chip/onnxim.csv", four, one);
  for (const ValidationRow& row : report.rows) {
    const bool given = row.group.ends_with("its tiling");
    EXPECT_LE(row.error_percent, given ? 10 : 14) << row.group << " " << row.name;
    if (given) {
      EXPECT_TRUE(row.ok) << row.group << " " << row.name << ": " << row.error_percent << " %";
    }
  }
  EXPECT_EQ(report.rows.size(), 28u);
}

TEST(Chip, MappingFollowsOnnxim) {
  EXPECT_EQ(onnxim_tiles(four_cores(), 384, 1024, 4096), (OnnximTiles{1, 4, 1, 384, 256, 4096}));
  EXPECT_EQ(onnxim_tiles(one_core(), 384, 1024, 4096), (OnnximTiles{1, 2, 1, 384, 512, 4096}));
  EXPECT_EQ(onnxim_tiles(four_cores(), 512, 512, 512), (OnnximTiles{1, 1, 1, 512, 512, 512}));
  // Ten tiles were wanted, eleven are made: inner tiles are rounded down to whole blocks.
  EXPECT_EQ(onnxim_tiles(four_cores(), 384, 4096, 1024), (OnnximTiles{1, 11, 1, 384, 384, 1024}));
}

TEST(Chip, TilesThatDoNotDivideOverTheCoresAreAllGivenAway) {
  const Hardware chip = four_cores();
  const OnnximTiles tiles = onnxim_tiles(chip, 384, 4096, 1024);
  const OperatorChoice choice = onnxim_choice(chip, tiles, 384, 4096, 1024);
  ASSERT_EQ(choice.split.items.size(), 4u);  // 3, 3, 3 and 2 tiles of 384 columns
  EXPECT_EQ(choice.split.items[0].output[1], (Range{0, 1152}));
  EXPECT_EQ(choice.split.items[3].output[1], (Range{3456, 4096}));
}

}  // namespace
}  // namespace tilewright
