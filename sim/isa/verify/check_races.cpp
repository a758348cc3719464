#include <memory>

#include "sim/isa/operand.h"
#include "sim/isa/program.h"
#include "sim/isa/text.h"
#include "sim/isa/verify/access_history.h"
#include "sim/isa/verify/clocks.h"
#include "sim/isa/verify/memories.h"
#include "sim/isa/verify/sync_walk.h"

namespace tilewright {

namespace {

// A buffer holds few tiles at a time, a tensor many.
struct Lookup {
  int buckets;
  bool forget_reads;
};
constexpr Lookup kLocal{8, true};
constexpr Lookup kSegment{64, false};

// Follows the walk over all cores, keeps the clocks and the histories of all memories.
class RaceCheck : public SyncListener {
 public:
  RaceCheck(const Program& program, const Hardware& hardware, Violations& violations)
      : program_(program),
        violations_(violations),
        clocks_(static_cast<int>(program.cores.size())),
        cores_(program.cores.size()),
        flags_(program.cores.size()),
        memories_(program, hardware) {}

  void worked(Place place) override {
    const Stamp stamp = step(place);
    if (violations_.full()) return;
    for (const Operand& operand : operands_of(instruction_at(place))) {
      AccessHistory* history = history_of(place.core, operand);
      if (!history) continue;
      const Access access{footprint_of(operand), stamp, place.instruction, operand.write};
      if (const auto race = history->add(access, clocks_)) report(place, operand, *race);
    }
  }

  void signalled(Place place, const Signal& signal) override {
    const Stamp stamp = step(place);
    const auto after = std::make_shared<const ChipClock>(clocks_.after({&stamp, 1}));
    if (flags_[signal.core][signal.flag].signal(stamp, after)) return;
    violations_.add(place.core, place.instruction,
                    fmt::format("flag {} of core {} has several producers and nothing orders this signal after the "
                                "wait for the others': use a flag for each",
                                signal.flag, signal.core));
  }

  void waited(Place place, const Wait& wait) override {
    const Stamp stamp = step(place);
    const auto known = std::make_shared<ChipClock>(clocks_.width());
    flags_[place.core][wait.flag].wait(stamp, wait.count, *known);
    clocks_.acquire(stamp, known);
  }

  void released(const std::vector<Place>& participants) override {
    std::vector<Stamp> stamps;
    for (const Place& place : participants) stamps.push_back(step(place));
    clocks_.meet(stamps);
  }

 private:
  const Instruction& instruction_at(Place place) const {
    return program_.cores[place.core].instructions[place.instruction];
  }

  Stamp step(Place place) { return cores_[place.core].step(place.core, instruction_at(place)); }

  AccessHistory* history_of(int core, const Operand& operand) {
    const Lookup& lookup = operand.space == Space::kDram ? kSegment : kLocal;
    return memories_.of(core, operand, lookup.buckets, lookup.forget_reads);
  }

  void report(Place place, const Operand& operand, const Access& other) {
    const Place before{other.stamp.core, other.instruction};
    violations_.add(place.core, place.instruction,
                    fmt::format("its {} in {} races with core {}, instruction {} '{}': nothing orders the two",
                                operand.role, place_name(operand.space, operand.owner), before.core, before.instruction,
                                print_instruction(instruction_at(before))));
  }

  const Program& program_;
  Violations& violations_;
  ChipClocks clocks_;
  std::vector<CoreClocks> cores_;
  std::vector<std::map<int, FlagClocks>> flags_;
  Memories<AccessHistory> memories_;
};

}  // namespace

void check_races(const Program& program, const Hardware& hardware, Violations& violations) {
  RaceCheck check(program, hardware, violations);
  SyncWalk(program, &check, violations).run();
}

}  // namespace tilewright
