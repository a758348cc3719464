// Whole chips beside ONNXim, and its mapping heuristic on the GEMMs whose tiles it published.
#include "validation/chip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "sim/hw/config/read_hardware.h"
#include "validation/onnxim_tiles.h"

namespace tilewright {
namespace {

Hardware four_cores() { return load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/tpu_v4_like_simple.yaml"); }
Hardware one_core() { return load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/tpu_v4_like_simple_one_core.yaml"); }

ValidationReport compared(const std::string& table) {
  return OnnximRuns(table, TILEWRIGHT_SOURCE_DIR "/hw_configs", TILEWRIGHT_SOURCE_DIR "/traces").compare();
}

// docs/validation.md says why our plan of a convolution may be slower: ONNXim does not read its weights.
TEST(Chip, ItsTilesWithinTenPercentAndOurPlansNotSlower) {
  const ValidationReport report = compared(TILEWRIGHT_SOURCE_DIR "/tests/reference/chip/onnxim.csv");
  for (const ValidationRow& row : report.rows) {
    EXPECT_TRUE(row.ok) << row.group << " " << row.name << ": " << row.error_percent << " %";
    const bool unread =
        row.name == "tpu_c1_simple conv_512_512_k3_s1_h7" || row.name == "tpu_c1_simple conv_128_128_k3_s2_h56";
    if (row.group.ends_with("our plan")) {
      EXPECT_LE(row.error_percent, unread ? 5 : 0) << row.name;
    } else if (row.group.ends_with("its tiling")) {
      EXPECT_LE(std::abs(row.error_percent), 10) << row.name;
    }
  }
  EXPECT_TRUE(report.left_out.empty());
  EXPECT_EQ(report.rows.size(), 59u);
}

// Rows that are not in our table name them.
TEST(Chip, EveryConfigurationOfOnnximCanBeBuilt) {
  const std::string table = testing::TempDir() + "/onnxim_configurations.csv";
  std::ofstream(table) << "config\ntpu_c4_simple\ntpu_c1_simple\ntpu_c4_booksim\ntpu_c1_booksim\ns8_c4_simple\n"
                          "s8_c1_simple\ns8_c4_booksim\ns8_c1_booksim\n";
  EXPECT_NO_THROW(OnnximRuns(table, TILEWRIGHT_SOURCE_DIR "/hw_configs", TILEWRIGHT_SOURCE_DIR "/traces"));
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

TEST(Chip, ConvolutionsOfSeveralTilesCoverTheirOutput) {
  const Hardware chip = four_cores();
  const OnnximConvTiles tiles{.outer_m = 2, .outer_p = 3, .m = 128, .p = 20, .q = 56, .c = 64};
  const OperatorChoice choice = onnxim_conv_choice(chip, tiles, {1, 256, 56, 56}, 64, 9);
  ASSERT_EQ(choice.split.items.size(), 4u);  // two of the filters by two of the rows: 40 and 16
  EXPECT_EQ(choice.split.items[0].output, (BoxRange{{0, 1}, {0, 128}, {0, 40}, {0, 56}}));
  EXPECT_EQ(choice.split.items[3].output, (BoxRange{{0, 1}, {128, 256}, {40, 56}, {0, 56}}));
  EXPECT_EQ(choice.tilings[0].partition_n, 20 * 56);
  EXPECT_EQ(choice.tilings[3].partition_n, 16 * 56);
}

// Rows that the table leaves out: several tiles per convolution, other sizes of products.
TEST(Chip, RowsOfOtherSizesAreMeasured) {
  const std::string path = testing::TempDir() + "onnxim_other.csv";
  std::ofstream(path)
      << "config,model,M,N,K,cores,array,channels,icnt,cycles,mxu_PE_util_pct_mean,dram_reads_32B,"
         "dram_writes_32B,dram_util_pct_allch,row_hit_pct,tiles,outer_MKN,inner_MKN\n"
         "tpu_c4_simple,conv_64_256_k1_s1_h56,,,,4,128x128,16,simple,9000,1,2720,1568,1,90,6,"
         "[O] N1 C1 M2 P3 Q1 S1 R1,[I] N1 C64 M128 P20 Q56 S1 R1\n"
         "tpu_c1_simple,768c,384,768,768,1,128x128,16,simple,15000,1,2720,1568,1,90,2,1x1x2,384x768x384\n";
  const ValidationReport report = compared(path);
  ASSERT_EQ(report.rows.size(), 4u);
  for (const ValidationRow& row : report.rows) EXPECT_GT(row.ours, 1000) << row.group << " " << row.name;
}

// A configuration that we have no chip for, and a network that is not there.
TEST(Chip, RowsThatCannotRunAreLeftOutByName) {
  const std::string path = testing::TempDir() + "onnxim_unknown.csv";
  std::ofstream(path) << "config,model,M,N,K,cores,array,channels,icnt,cycles,mxu_PE_util_pct_mean,dram_reads_32B,"
                         "dram_writes_32B,dram_util_pct_allch,row_hit_pct,tiles,outer_MKN,inner_MKN\n"
                         "tpu_c2_simple,512c,512,512,512,2,128x128,16,simple,9393,1,1,1,1,90,1,1x1x1,512x512x512\n"
                         "tpu_c1_simple,no_such_net,,,,1,128x128,16,simple,9000,1,1,1,1,90,1,,\n";
  const ValidationReport report = compared(path);
  EXPECT_TRUE(report.rows.empty());
  ASSERT_EQ(report.left_out.size(), 2u);
  EXPECT_NE(report.left_out[0].why.find("config: got 'tpu_c2_simple', expected s8_c1_booksim|"), std::string::npos);
  EXPECT_NE(report.left_out[1].why.find("no_such_net.onnx"), std::string::npos);
}

}  // namespace
}  // namespace tilewright
