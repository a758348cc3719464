// Programs that one known cause holds up: the account names it, and what is gained without it is what the account says.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sim/hw/config/read_hardware.h"
#include "sim/isa/binary.h"
#include "sim/session.h"

namespace tilewright::stalls {
namespace {

constexpr Address kInput = 0, kOutput = 512 << 20, kCode = 768 << 20;
constexpr Bytes kCodeBytes = 1 << 20;
constexpr double kClose = 0.1;  // of the account's share

// Two clusters of one core on routers; two DRAM channels.
constexpr const char* kChip = R"(
name: stalls
clusters: 2
core:
  frequency_mhz: 1000
  buffer_a_kib: 256
  buffer_b_kib: 256
  accumulator_kib: 256
  matmul: {rows: 16, columns: 16}
  vector: {lanes: 16}
  dma: {buffer_bytes_per_cycle: 256, outstanding_requests: 64}
network: {topology: smp, flit_bytes: 256}
dram: {preset: DDR4_2400U, channels: 2}
)";

struct Replaced {
  std::string from, to;
};
Hardware changed(const std::vector<Replaced>& parts) {
  std::string text = kChip;
  for (const auto& [from, to] : parts) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  }
  return load_hardware_text(text, "chip");
}
Hardware changed(const std::string& from, const std::string& to) { return changed({{from, to}}); }
Hardware chip() { return changed({}); }

class Builder {
 public:
  Builder() {
    program_.name = "hand-made";
    program_.operators = {"none", "work"};
    program_.cores.resize(2);
    program_.segments = {{"in", SegmentKind::kConstant, DataType::kInt8, kInput, kOutput},
                         {"out", SegmentKind::kOutput, DataType::kInt8, kOutput, 1 << 20},
                         {"code", SegmentKind::kInstructions, DataType::kInt8, kCode, 2 * kCodeBytes}};
    for (int i = 0; i < 2; ++i) program_.cores[i].fetch_address = kCode + i * kCodeBytes;
  }

  struct Sync {
    std::vector<int> waits, posts;
  };
  void add(int core, Unit unit, Payload payload, const Sync& sync = {}) {
    Instruction instruction{unit, 1, {}, {}, std::move(payload)};
    for (const int token : sync.waits) instruction.waits.add(token);
    for (const int token : sync.posts) instruction.posts.add(token);
    program_.cores[core].instructions.push_back(instruction);
  }
  const Program& program() const { return program_; }

  // `rows` pieces of `bytes`, `pitch` apart, into buffer A or B.
  static Transfer load(Space space, Address to, Address from, std::int64_t rows, Bytes bytes, Bytes pitch) {
    Transfer move;
    move.type = DataType::kInt8;
    move.shape = {1, 1, 1, rows, bytes};
    move.source = {Space::kDram, from, {0, 0, 0, pitch, 1}};
    move.target = {space, to, {0, 0, 0, bytes, 1}};
    return move;
  }
  static Transfer load(Address to, Address from, Bytes bytes) {
    return load(Space::kBufferA, to, from, 1, bytes, bytes);
  }
  // m x 16 x 16 on operands at `a` of buffer A: at least m cycles.
  static Matmul matmul(Address a, std::int64_t m = 16) {
    Matmul matmul;
    matmul.type = DataType::kInt8;
    matmul.m[2] = m, matmul.n[2] = 16, matmul.k[2] = 16;
    matmul.a = {Space::kBufferA, a, {0, 0, 16}, {0, 0, 1}};
    matmul.b = {Space::kBufferB, 0, {0, 0, 16}, {0, 0, 1}};
    matmul.c = {Space::kAccumulator, 0, {0, 0, 64}, {0, 0, 4}};
    return matmul;
  }
  static Vector vector(std::int64_t elements) {
    Vector vector;
    vector.shape = {1, 1, 1, 1, elements};
    vector.a = {Space::kAccumulator, 0, {0, 0, 0, 0, 4}, DataType::kInt32};
    vector.target = {Space::kAccumulator, 128 << 10, {0, 0, 0, 0, 4}, DataType::kFp32};
    return vector;
  }

 private:
  Program program_;
};

// Loads through two slots; slot i is loaded again when the product that used it is done.
Program streamed(int count, std::int64_t rows, Bytes bytes, Bytes pitch, Bytes step) {
  Builder builder;
  for (int i = 0; i < count; ++i) {
    const int slot = i % 2;
    const Address place = slot * (128 << 10);
    builder.add(0, Unit::kLoad, Builder::load(Space::kBufferA, place, kInput + i * step, rows, bytes, pitch),
                {i >= 2 ? std::vector{2 + slot} : std::vector<int>{}, {slot}});
    builder.add(0, Unit::kMatmul, Builder::matmul(place),
                {{slot}, i + 2 < count ? std::vector{2 + slot} : std::vector<int>{}});
  }
  return builder.program();
}

// A product of m rows and its load, in `slots` places: with one, they take turns.
Program in_turns(int slots, Bytes bytes, std::int64_t m, int count = 64) {
  Builder builder;
  for (int i = 0; i < count; ++i) {
    const int slot = i % slots;
    const Address place = slot * (128 << 10);
    builder.add(0, Unit::kLoad, Builder::load(place, kInput + i * bytes, bytes),
                {i >= slots ? std::vector{2 + slot} : std::vector<int>{}, {slot}});
    builder.add(0, Unit::kMatmul, Builder::matmul(place, m),
                {{slot}, i + slots < count ? std::vector{2 + slot} : std::vector<int>{}});
  }
  return builder.program();
}

struct Account {
  Picoseconds time = 0;
  std::array<double, kCauseCount> shares{};  // of core 0

  double of(Cause cause) const { return shares[static_cast<int>(cause)]; }
  std::string largest_wait() const {
    const auto largest = std::max_element(shares.begin() + 1, shares.end());
    return std::string(info_of(static_cast<Cause>(largest - shares.begin())).name);
  }
  double gain(const Account& other) const { return 1 - static_cast<double>(other.time) / static_cast<double>(time); }
};

std::ostream& operator<<(std::ostream& out, const Account& account) {
  out << account.time << " ps:";
  for (int i = 0; i < kCauseCount; ++i)
    if (account.shares[i] > 0) out << " " << info_of(static_cast<Cause>(i)).name << " " << account.shares[i];
  return out;
}

Account run(Session& session, const Program& program) {
  const RunResult result = session.run(program, {.causes = true});
  Account account{result.time, {}};
  for (const CauseTimes& core : result.causes)
    EXPECT_EQ(std::accumulate(core.begin(), core.end(), Picoseconds{0}), result.time);
  for (int i = 0; i < kCauseCount; ++i)
    account.shares[i] = static_cast<double>(result.causes[0][i]) / static_cast<double>(result.time);
  EXPECT_NEAR(account.of(Cause::kCompute),
              result.statistics.at("core0.compute_cycles") * 1000 / static_cast<double>(result.time), 1e-9);
  return account;
}

// Names `cause`; and the run on `other`, which has `left` of what it costs, gains what the account says.
void expect_cause(Cause cause, const Program& program, const Hardware& base, const Hardware& other, double left) {
  Session session(base), again(other);
  const Account account = run(session, program), less = run(again, program);
  EXPECT_EQ(account.largest_wait(), info_of(cause).name) << account;
  EXPECT_GT(account.of(cause), 0.4) << account;
  const double says = account.of(cause) * (1 - left);
  EXPECT_NEAR(account.gain(less), says, kClose * says) << account << "\n" << less;
}

TEST(Stalls, DramBandwidth) {
  expect_cause(Cause::kDramBandwidth, streamed(64, 1, 64 << 10, 0, 64 << 10), chip(),
               changed("channels: 2", "channels: 4"), 0.5);
}

// Rows of 8 KiB, 16 banks side by side, two channels: every piece opens another row of one bank. With the rows' low
// bits below the banks', 16 pieces lie in 16 banks, and hardly anything waits for one.
TEST(Stalls, BankConflict) {
  const Bytes next_row = 2 * 16 * (8 << 10);
  expect_cause(Cause::kBankConflict, streamed(16, 64, 64, next_row, 4096), chip(),
               changed("channels: 2", "channels: 2, mapping: [column:7, row:4, bank_group:2, bank:2, row:12]"), 0);
}

// One request at a time, of one burst: 17 clocks to its data, 4 for them, and 100 in the controller, which halve.
TEST(Stalls, DramLatency) {
  const Replaced single{"outstanding_requests: 64", "outstanding_requests: 1"};
  expect_cause(Cause::kDramLatency, streamed(16, 64, 64, 128, 8192),
               changed({single, {"channels: 2", "channels: 2, controller_clocks: 100"}}),
               changed({single, {"channels: 2", "channels: 2, controller_clocks: 50"}}), (21.0 + 50) / (21 + 100));
}

TEST(Stalls, Network) {
  expect_cause(Cause::kNetwork, streamed(64, 1, 64 << 10, 0, 64 << 10), changed("flit_bytes: 256", "flit_bytes: 4"),
               changed("flit_bytes: 256", "flit_bytes: 8"), 0.5);
}

TEST(Stalls, VectorUnit) {
  Builder builder;
  for (int i = 0; i < 32; ++i) {
    builder.add(0, Unit::kMatmul, Builder::matmul(0), {i > 0 ? std::vector{1} : std::vector<int>{}, {0}});
    builder.add(0, Unit::kVector, Builder::vector(4096), {{0}, i < 31 ? std::vector{1} : std::vector<int>{}});
  }
  expect_cause(Cause::kVector, builder.program(), chip(), changed("lanes: 16", "lanes: 32"), 0.5);
}

Program waits_for_core_1(std::int64_t m) {
  Builder builder;
  builder.add(1, Unit::kMatmul, Builder::matmul(0, m), {{}, {0}});
  builder.add(1, Unit::kLoad, Signal{0, 0}, {{0}, {}});
  builder.add(0, Unit::kMatmul, Wait{0, 1});
  builder.add(0, Unit::kMatmul, Builder::matmul(0, 2000));
  return builder.program();
}

TEST(Stalls, OtherCore) {
  Session session(chip());
  const Account account = run(session, waits_for_core_1(4000)), less = run(session, waits_for_core_1(2000));
  EXPECT_EQ(account.largest_wait(), "other_core") << account;
  EXPECT_NEAR(account.gain(less), account.of(Cause::kOtherCore) / 2, kClose * account.of(Cause::kOtherCore) / 2);
}

// Instructions of one cycle, fetched from a slow memory: one block is being used up, so 3
// and then 7 are on their way.
TEST(Stalls, Dispatch) {
  Builder builder;
  for (int i = 0; i < 2000; ++i) builder.add(0, Unit::kVector, Builder::vector(16));
  const Replaced slow{"channels: 2", "channels: 2, controller_clocks: 1000"};
  expect_cause(Cause::kDispatch, builder.program(),
               changed({slow, {"lanes: 16}", "lanes: 16}\n  control: {fetch_ahead: 4}"}}),
               changed({slow, {"lanes: 16}", "lanes: 16}\n  control: {fetch_ahead: 8}"}}), 3.0 / 7);
}

TEST(Stalls, TokenThatOrdersLoadAndProduct) {
  Session session(chip());
  const Account account = run(session, in_turns(1, 16 << 10, 1024)), free = run(session, in_turns(2, 16 << 10, 1024));
  EXPECT_EQ(account.largest_wait(), "serial") << account;
  EXPECT_NEAR(account.gain(free), account.of(Cause::kSerial), kClose * account.of(Cause::kSerial)) << account << free;
}

}  // namespace
}  // namespace tilewright::stalls
