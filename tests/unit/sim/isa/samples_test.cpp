// The hand-written programs in traces/ are legal on the chips they name.
#include <gtest/gtest.h>

#include "sim/hw/config/read_hardware.h"
#include "sim/isa/text.h"
#include "sim/isa/verify/verify.h"

namespace tilewright {
namespace {

const std::string kRoot = TILEWRIGHT_SOURCE_DIR;

void expect_legal(const std::string& sample, const std::string& chip) {
  const Program program = load_program(kRoot + "/traces/" + sample);
  EXPECT_NO_THROW(verify(program, load_hardware(kRoot + "/hw_configs/" + chip), sample));
  EXPECT_EQ(parse_program(print_program(program), sample), program);
}

TEST(Samples, HelloMatmul) { expect_legal("hello_matmul.tw", "edge_single.yaml"); }
TEST(Samples, TwoCores) { expect_legal("two_cores.tw", "dual_cluster.yaml"); }

}  // namespace
}  // namespace tilewright
