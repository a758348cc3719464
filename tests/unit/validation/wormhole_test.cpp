#include "validation/wormhole.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/hw/config/read_hardware.h"
#include "tests/unit/validation/made_up_table.h"

namespace tilewright {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

const std::string kColumns =
    "id,device,M,N,K,dtype,math_fidelity,grid,in0_memory,in1_memory,out_memory,in0_block_w,per_core_M,per_core_N,"
    "out_block_h,out_block_w,out_subblock_h,out_subblock_w,ideal_cycles,device_cycles\n";

std::string made_up_products() {
  return made_up_table("wormhole_small.csv",
                       kColumns +
                           "one,wormhole_n150,512,512,512,bfloat8_b,HiFi2,8x8,L1 block-sharded,DRAM interleaved,"
                           "L1 block-sharded,2,2,2,2,2,1,2,2048,7000\n"
                           "two,wormhole_n150,512,512,512,bfloat16,LoFi,8x8,DRAM interleaved,DRAM interleaved,"
                           "DRAM interleaved,,2,2,2,2,1,2,2048,7000\n"
                           "three,grayskull,512,512,512,bfloat16,LoFi,8x8,DRAM interleaved,DRAM interleaved,"
                           "DRAM interleaved,2,2,2,2,2,1,2,2048,7000\n");
}

TEST(Wormhole, ARowIsTheKernelsTiling) {
  const MulticastProduct product = tensix_product(read_csv_table(made_up_products()).front());
  EXPECT_EQ(product.rows * product.columns, 64);
  EXPECT_EQ(product.k, 16);
  EXPECT_EQ(product.tile_bytes, 1088);
  EXPECT_TRUE(product.a_in_cores && product.c_in_cores);
  EXPECT_EQ(product.cycles_per_tile, 2 * 16 + 4) << "two passes; 1.5 tiles of 1,088 bytes are there sooner";
}

TEST(Wormhole, RowsThatCannotRunAreNamedAndTheOthersRun) {
  const std::string folder = TILEWRIGHT_SOURCE_DIR "/hw_configs/";
  Session wormhole(load_hardware(folder + "wormhole_n150.yaml"));
  Session blackhole(load_hardware(folder + "blackhole_p150.yaml"));
  const ValidationReport report = validate_wormhole(made_up_products(), {wormhole, blackhole}, {});
  ASSERT_THAT(report.left_out, SizeIs(2));
  EXPECT_THAT(report.left_out[0].why, HasSubstr("no tiling is given"));
  EXPECT_THAT(report.left_out[1].why, HasSubstr("device: got 'grayskull'"));
  ASSERT_THAT(report.rows, SizeIs(1 + 1)) << "and what is asked of its family";
  EXPECT_GT(report.rows[0].ours, 8 * 4 * 36) << "eight steps of four products";
}

}  // namespace
}  // namespace tilewright
