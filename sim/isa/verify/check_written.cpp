#include <fmt/format.h>

#include <algorithm>

#include "sim/isa/operand.h"
#include "sim/isa/program.h"
#include "sim/isa/text.h"
#include "sim/isa/verify/memories.h"
#include "sim/isa/verify/sync_walk.h"
#include "sim/isa/verify/written_bytes.h"

namespace tilewright {
namespace {

// Follows the walk over all cores. No two accesses of a legal program race, so whatever a read may rely on has been
// walked before it, in whichever order the walk takes the cores.
class WrittenCheck : public SyncListener {
 public:
  WrittenCheck(const Program& program, const Hardware& hardware, Violations& violations)
      : program_(program), violations_(violations), segments_(program), memories_(program, hardware) {}

  void worked(Place place) override {
    if (violations_.full()) return;
    const Operands operands = operands_of(program_.cores[place.core].instructions[place.instruction]);
    for (const Operand& operand : operands) {
      if (operand.read) expect_written(place, operand);
    }
    for (const Operand& operand : operands) {
      if (!operand.write) continue;
      if (WrittenBytes* written = memories_.of(place.core, operand)) written->add(footprint_of(operand));
    }
  }
  void signalled(Place, const Signal&) override {}
  void waited(Place, const Wait&) override {}
  void released(const std::vector<Place>&) override {}

 private:
  bool is_given(const Operand& operand) const {
    if (operand.space != Space::kDram) return false;
    const int segment = segments_.find(operand.address, operand.address + operand.element);
    return program_.segments[segment].kind == SegmentKind::kState;
  }

  void expect_written(Place place, const Operand& operand) {
    if (is_given(operand)) return;
    WrittenBytes* written = memories_.of(place.core, operand);
    if (!written) return;
    const auto missing = written->first_missing(footprint_of(operand));
    if (!missing) return;
    violations_.add(place.core, place.instruction,
                    fmt::format("its {} reads {}@{:#x}, which nothing wrote before", operand.role,
                                place_name(operand.space, operand.owner), *missing));
  }

  const Program& program_;
  Violations& violations_;
  SegmentTable segments_;
  Memories<WrittenBytes> memories_;
};

}  // namespace

void check_written(const Program& program, const Hardware& hardware, Violations& violations) {
  WrittenCheck check(program, hardware, violations);
  SyncWalk(program, &check, violations).run();
}

}  // namespace tilewright
