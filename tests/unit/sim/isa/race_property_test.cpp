// The race check against a plain one: random legal programs, their order as a graph, and all pairs of accesses.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/support/property.h"
#include "tests/unit/sim/isa/isa_support.h"

namespace tilewright {
namespace {

constexpr int kCores = 3;

struct Node {
  int core = 0;
  int unit = 0;
  bool shared = false, write = false;  // of an access
  bool works = false;
  int owner = 0;                       // of the buffer that an access that is not shared touches
  int first = 0, step = 1, count = 0;  // elements of 2 bytes
  std::vector<int> after;              // nodes that surely completed before
};

// Grows a program in a legal global order, and beside it the graph.
class Grower {
 public:
  Grower() : last_(kCores * kUnitCount, -1) { lines_.resize(kCores); }

  void grow(int steps) {
    for (int i = 0; i < steps; ++i) {
      const int kind = *rc::gen::inRange(0, 10);
      if (kind < 6) work();
      if (kind == 6 || kind == 7) message();
      if (kind == 8) token();
      if (kind == 9) barrier();
    }
  }

  std::string text() const {
    std::string text;
    for (int core = 0; core < kCores; ++core)
      text += "core " + std::to_string(core) + " fetch @0x10000\n" + lines_[core];
    return text;
  }

  bool has_race() const {
    const int count = static_cast<int>(nodes_.size());
    std::vector<std::vector<bool>> before(count, std::vector<bool>(count));
    for (int i = 0; i < count; ++i) {
      for (const int j : nodes_[i].after) {
        before[i][j] = true;
        for (int k = 0; k < j; ++k) before[i][k] = before[i][k] || before[j][k];
      }
      for (int j = 0; j < i; ++j) {
        if (!before[i][j] && conflict(nodes_[i], nodes_[j])) return true;
      }
    }
    return false;
  }

 private:
  static bool conflict(const Node& p, const Node& q) {
    if (!p.works || !q.works || p.shared != q.shared || (!p.write && !q.write)) return false;
    if (!p.shared && p.owner != q.owner) return false;
    for (int i = 0; i < p.count; ++i) {
      for (int j = 0; j < q.count; ++j) {
        if (p.first + i * p.step == q.first + j * q.step) return true;
      }
    }
    return false;
  }

  int add(int core, int unit) {
    Node node;
    node.core = core;
    node.unit = unit;
    int& last = last_[core * kUnitCount + unit];
    if (last >= 0) node.after.push_back(last);
    nodes_.push_back(node);
    return last = static_cast<int>(nodes_.size()) - 1;
  }

  // One access that matters; the other side of the transfer is memory nobody writes or nobody else uses.
  void work() {
    const int core = *rc::gen::inRange(0, kCores);
    const bool shared = *rc::gen::arbitrary<bool>(), write = *rc::gen::arbitrary<bool>();
    const int owner = shared ? core : *rc::gen::element(core, core, *rc::gen::inRange(0, kCores));
    const bool remote = owner != core;
    // A load reads DRAM or writes the buffer; of another core's buffer it is the other way round.
    const bool load = (shared != write) != remote;
    Node& node = nodes_[add(core, load ? 0 : 1)];
    node.works = true;
    node.shared = shared;
    node.write = write;
    node.owner = owner;
    node.first = *rc::gen::inRange(0, 24);
    node.step = *rc::gen::inRange(1, 5);
    node.count = *rc::gen::inRange(1, 5);
    const std::string place = (shared   ? "dram@" + std::to_string(0x3000 + 2 * node.first)
                               : remote ? "a." + std::to_string(owner) + "@" + std::to_string(2 * node.first)
                                        : "a@" + std::to_string(2 * node.first)) +
                              "(" + std::to_string(2 * node.step) + ")";
    const std::string shape = "[" + std::to_string(node.count) + "] ";
    lines_[core] += line(shape, place, load, shared || remote);
  }

  // The other side is fresh for every instruction.
  std::string line(const std::string& shape, const std::string& place, bool load, bool memory) {
    const int fresh = 2 * 5 * static_cast<int>(nodes_.size());
    if (load && memory) return "load bf16 " + shape + place + " -> b@" + std::to_string(fresh) + "(2)\n";
    if (load) return "load bf16 " + shape + "dram@0x1000(2) -> " + place + "\n";
    if (memory) return "store bf16 " + shape + "b@" + std::to_string(4000) + "(2) -> " + place + "\n";
    return "store bf16 " + shape + place + " -> dram@" + std::to_string(0x4000 + fresh) + "(2)\n";
  }

  void message() {
    const int from = *rc::gen::inRange(0, kCores), to = *rc::gen::inRange(0, kCores);
    const int from_unit = *rc::gen::inRange(0, 2), to_unit = *rc::gen::inRange(0, 2);
    const std::string flag = " flag=" + std::to_string(++names_);
    lines_[from] += "signal core=" + std::to_string(to) + flag + unit(from_unit) + "\n";
    const int signal = add(from, from_unit);
    lines_[to] += "wait" + flag + " count=1" + unit(to_unit) + "\n";
    nodes_[add(to, to_unit)].after.push_back(signal);
  }

  void token() {
    const int core = *rc::gen::inRange(0, kCores);
    const int from = *rc::gen::inRange(0, kUnitCount), to = *rc::gen::inRange(0, kUnitCount);
    const std::string id = " t" + std::to_string(++names_);
    lines_[core] += alone() + unit(from) + " post" + id + "\n";
    const int post = add(core, from);
    lines_[core] += alone() + unit(to) + " wait" + id + "\n";
    nodes_[add(core, to)].after.push_back(post);
  }

  std::string alone() { return "barrier id=" + std::to_string(1000 + ++names_) + " of=1"; }

  // The node of the last participant stands for all of them.
  void barrier() {
    const std::string head = "barrier id=" + std::to_string(++names_) + " of=" + std::to_string(kCores);
    std::vector<int> streams, before;
    for (int core = 0; core < kCores; ++core) {
      const int in = *rc::gen::inRange(0, 2);
      streams.push_back(core * kUnitCount + in);
      before.push_back(add(core, in));
      lines_[core] += head + unit(in) + "\n";
    }
    nodes_.push_back({});
    nodes_.back().after = before;
    for (const int stream : streams) last_[stream] = static_cast<int>(nodes_.size()) - 1;
  }

  static std::string unit(int unit) { return " unit=" + std::string(name_of(static_cast<Unit>(unit))); }

  std::vector<Node> nodes_;
  std::vector<int> last_;
  std::vector<std::string> lines_;
  int names_ = 0;
};

TEST(RaceProperty, AgreesWithTheOrderAsAGraph) {
  int racing = 0, clean = 0;
  EXPECT_TRUE(rc::check([&] {
    for (int i = 0; i < 20; ++i) {
      Grower grower;
      grower.grow(*rc::gen::inRange(1, 14));
      const std::string fault = fault_of(program_of(grower.text()));
      RC_LOG(grower.text() + fault);
      RC_ASSERT(fault.empty() || fault.find("races with") != std::string::npos);
      RC_ASSERT(fault.empty() != grower.has_race());
      ++(fault.empty() ? clean : racing);
    }
  }));
  const int enough = test::drawn_here(200);
  EXPECT_GT(racing, enough);
  EXPECT_GT(clean, enough);
}

}  // namespace
}  // namespace tilewright
