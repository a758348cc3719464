#include "validation/tpuv4.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "tests/unit/validation/made_up_table.h"
#include "validation/tpuv4_workload.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kLoop = "iter=4x3x2;out=32x2;kernel=64x2;input=32x4;split=1;layout=RRR;emitter=E";

TEST(TpuV4Workload, AnArrayIsPaddedAlongThePairOfAxesThatPadsLeast) {
  EXPECT_THAT(padded_layout({64, 64}), ElementsAre(64, 128));
  EXPECT_THAT(padded_layout({960, 64}), ElementsAre(1024, 64));
  EXPECT_THAT(padded_layout({128, 64, 32, 32}), ElementsAre(128, 64, 32, 32));
  EXPECT_THAT(padded_layout({1025}), ElementsAre(2048));
}

TEST(TpuV4Workload, WindowsAreReadAlongTheLayouts) {
  const XlaWindows rows = xla_windows("t:1", kLoop);
  EXPECT_EQ(rows, (XlaWindows{256, 256, 512, 3, 4, 2, true}));
  const XlaWindows turned =
      xla_windows("t:1", "iter=2x4x1;out=187x2;kernel=187x8;input=32x8;split=0;layout=RTT;emitter=E");
  EXPECT_EQ(turned, (XlaWindows{256, 1496, 1024, 4, 2, 1, false}));
}

TEST(TpuV4Workload, TheCoresShareTheWindowsOfOneDimension) {
  const OperatorChoice choice = xla_choice(xla_windows("t:1", kLoop));
  ASSERT_THAT(choice.split.items, SizeIs(2));
  EXPECT_EQ(choice.split.items[0].output, (BoxRange{{0, 512}, {0, 1024}}));
  EXPECT_EQ(choice.split.items[1].output, (BoxRange{{512, 768}, {0, 1024}}));
  EXPECT_TRUE(choice.tilings[0].need_splitk);
  EXPECT_EQ(choice.tilings[1].tile_n, 256);
}

TEST(TpuV4Workload, OneWindowIsOneCores) {
  const XlaWindows one{128, 128, 128, 1, 1, 1, false};
  EXPECT_THAT(xla_choice(one).split.items, SizeIs(1));
}

TEST(TpuV4Workload, EveryKernelIsALaunch) {
  const auto kernels = [](const std::string& op, const std::string& dims, bool copied = false) {
    return tpuv4_kernels("t:1", op, dims, "", copied).size();
  };
  EXPECT_EQ(kernels("layernorm", "2x128x512"), 5u);
  EXPECT_EQ(kernels("rmsnorm", "2x128x512"), 3u);
  EXPECT_EQ(kernels("avgpool", "1x8x32x256"), 2u);
  EXPECT_EQ(kernels("maxpool", "1x8x32x256"), 1u);
  EXPECT_EQ(kernels("maxpool", "1x8x32x256", true), 2u);
  EXPECT_EQ(kernels("batchnorm_infer", "8x8x32x128"), 1u);
  EXPECT_EQ(kernels("div", "640"), 1u);
}

TEST(TpuV4Workload, WhatIsNotKnownIsTold) {
  EXPECT_THROW(tpuv4_kernels("t:7", "softmax", "128x128", "", false), UserError);
  EXPECT_THROW(tpuv4_kernels("t:7", "matmul", "128x128", "", false), UserError);
  EXPECT_THROW(tpuv4_kernels("t:7", "add", "128x0", "", false), UserError);
  EXPECT_THROW(xla_windows("t:7", "iter=4x3;out=32x2;kernel=64x2;input=32x4;split=1;layout=RRR"), UserError);
  EXPECT_THROW(xla_windows("t:7", "iter=4x3x1;out=32x2;kernel=64x2;input=32x4;split=2;layout=RRR"), UserError);
  EXPECT_THROW(xla_windows("t:7", "iter=4x3x1;out=32;kernel=64x2;input=32x4;split=0;layout=RRR"), UserError);
}

std::string small_table() {
  return made_up_table("tpuv4_small.csv",
                       "op,dims,measured_us,tflops,gbps,hlo_kernel,xla_window\n"
                       "relu,256x128,1.2,,109,fusion,\n"
                       "add,384,1,,2.3,add,\n"
                       "softmax,128x128,5,,13,fusion,\n"
                       "matmul,128xx128,5,1,13,fusion,\n"
                       "matmul,512x512x512,6,44.7,262,fusion,iter=2x1x1;out=64x2;kernel=64x2;input=64x4;split=0;"
                       "layout=RRR;emitter=E\n");
}

TEST(TpuV4, ARowThatCannotRunIsNamedAndTheOthersGoOn) {
  Session chip(load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/tpu_v4_chip.yaml"));
  const ValidationReport report = validate_tpuv4(small_table(), chip, {.per_family = 0});
  ASSERT_THAT(report.left_out, SizeIs(2));
  EXPECT_THAT(report.left_out[0].why, HasSubstr("128xx128"));
  EXPECT_THAT(report.left_out[1].why, HasSubstr("softmax"));
  ASSERT_THAT(report.rows, SizeIs(3 + 1)) << "and what is asked of the family that is judged";
  EXPECT_THAT(report.table, HasSubstr("tpuv4 product, windows given"));
  // The launch of 0.74 us, and no more than as much again for so little data.
  EXPECT_GT(report.rows[0].ours, 0.74);
  EXPECT_LT(report.rows[0].ours, 1.5);
}

}  // namespace
}  // namespace tilewright
