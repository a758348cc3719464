// Chips whose clusters differ: each core takes the time and holds the bytes of its own kind.
#include <gtest/gtest.h>

#include <memory>

#include "sim/isa/text.h"
#include "sim/isa/verify/verify.h"
#include "sim/session.h"
#include "tests/support/chip_text.h"

namespace tilewright {
namespace {

const char* const kBig = "core: {buffer_a_kib: 128, matmul: {rows: 32, columns: 32}, vector: {lanes: 32}}";
const char* const kSmall = "core: {buffer_a_kib: 64, matmul: {rows: 8, columns: 8}, vector: {lanes: 8}}";

// Two clusters of two cores.
Hardware chip_with(const std::string& clusters) {
  return chip_of({.name = "kinds",
                  .clusters = clusters,
                  .cores_per_cluster = 2,
                  .matmul = "rows: 8, columns: 8, dataflow: output_stationary",
                  .dma = "request_bytes: 256",
                  .cluster_memory = "capacity_kib: 128, ways: 16, addressed_ways: 8"});
}
Hardware chip_of_one(const std::string& kind) { return chip_with(fmt::format("\n  - {{count: 2, {}}}", kind)); }
Hardware chip_of_both() {
  return chip_with(fmt::format("\n  - {{count: 1, {}}}\n  - {{count: 1, memory: false, {}}}", kBig, kSmall));
}

// A product and an activation on one core.
Program on_core(int core) {
  return parse_program(fmt::format(R"(program "p"
operator 1 "work"
segment "code" instructions int8 @0x10000 65536
core {} fetch @0x10000
matmul op=1 bf16 m=[64] n=[64] k=[64] a@0(128;2) b@0(128;2) -> acc@0(256;4) post t0
vector op=1 gelu [64,64] acc@0:fp32(256,4) -> acc@0:fp32(256,4) wait t0
)",
                                   core),
                       "p");
}

TEST(ClusterKinds, EachCoreComputesAsFastAsItsKind) {
  Session both(chip_of_both()), big(chip_of_one(kBig)), small(chip_of_one(kSmall));
  const auto time_of = [](Session& session, int core) { return session.run(on_core(core)).operators[1].end; };
  EXPECT_EQ(time_of(both, 0), time_of(big, 0));
  EXPECT_EQ(time_of(both, 3), time_of(small, 3));
  EXPECT_GT(time_of(both, 3), 3 * time_of(both, 0));
}

TEST(ClusterKinds, EachMemoryHoldsAsMuchAsItsKind) {
  const Hardware hardware = chip_of_both();
  const auto message = [&](int core, const std::string& line) {
    const std::string text = fmt::format(
        "program \"p\"\noperator 1 \"w\"\nsegment \"in\" input int8 @0x0 65536\n"
        "segment \"code\" instructions int8 @0x10000 65536\ncore {} fetch @0x10000\n{}\n",
        core, line);
    const auto violations = find_violations(parse_program(text, "p"), hardware, 1);
    return violations.empty() ? "" : violations.front().reason;
  };
  const std::string far = "load int8 [4] dram@0(1) -> a@100000(1)";
  EXPECT_EQ(message(1, far), "");
  EXPECT_EQ(message(2, far), "target reaches byte 100004 of a, which has 65536 bytes");
  EXPECT_EQ(message(2, "store int8 [4] b@0(1) -> a.0@100000(1)"), "");
  EXPECT_EQ(message(0, "store int8 [4] b@0(1) -> a.2@100000(1)"),
            "target reaches byte 100004 of a.2, which has 65536 bytes");
  EXPECT_EQ(message(1, "load int8 [4] cluster@0(1) -> a@0(1)"), "");
  EXPECT_EQ(message(2, "load int8 [4] cluster@0(1) -> a@0(1)"), "source reaches byte 4 of cluster, which has 0 bytes");
  EXPECT_EQ(message(2, "load int8 [4] cluster.0@0(1) -> a@0(1)"), "");
  EXPECT_EQ(message(0, "load int8 [4] cluster.1@0(1) -> a@0(1)"),
            "source reaches byte 4 of cluster.1, which has 0 bytes");
}

// A cluster without memory reaches that of another.
TEST(ClusterKinds, ValuesGoBetweenKinds) {
  Session session(chip_of_both());
  const Program program = parse_program(R"(program "p"
operator 1 "w"
segment "in" input int8 @0x0 4096
segment "out" output int8 @0x1000 4096
segment "code" instructions int8 @0x10000 65536
core 0 fetch @0x10000
copy op=1 int8 [4096] dram@0x0(1) -> cluster@0(1) unit=load
signal core=3 flag=1 unit=load
core 3 fetch @0x11000
wait flag=1 count=1 unit=load
load op=1 int8 [4096] cluster.0@0(1) -> b@0(1) post t0
store op=1 int8 [4096] b@0(1) -> dram@0x1000(1) wait t0
)",
                                        "p");
  RunOptions options;
  options.values = true;
  options.initial = {{"in", std::vector<std::byte>(4096)}};
  for (std::size_t i = 0; i < 4096; ++i) options.initial[0].bytes[i] = static_cast<std::byte>(i * 31 + i / 256);
  options.keep = {"out"};
  EXPECT_EQ(session.run(program, options).kept[0].bytes, options.initial[0].bytes);
}

}  // namespace
}  // namespace tilewright
