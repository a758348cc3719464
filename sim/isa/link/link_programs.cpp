#include "sim/isa/link/link_programs.h"

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <map>
#include <variant>

#include "sim/base/error.h"
#include "sim/isa/binary.h"
#include "sim/isa/link/core_join.h"
#include "sim/isa/link/segment_join.h"

namespace tilewright {
namespace {

// What the flags of one core are called: one of a part is the n-th that its stream waits for, in every part.
class FlagNames {
 public:
  // Takes a part's instructions; then number() is of this part.
  void begin(const std::vector<Instruction>& instructions) {
    now_.clear();
    std::map<Unit, std::size_t> used;
    for (const Instruction& instruction : instructions)
      if (const auto* wait = std::get_if<Wait>(&instruction.payload); wait && !now_.contains(wait->flag))
        now_[wait->flag] = name({instruction.unit, used[instruction.unit]++});
  }
  int number(int flag) const { return now_.at(flag); }

 private:
  int name(std::pair<Unit, std::size_t> place) {
    return known_.try_emplace(place, static_cast<int>(known_.size())).first->second;
  }

  std::map<std::pair<Unit, std::size_t>, int> known_;
  std::map<int, int> now_;
};

class Linker {
 public:
  Linker(const std::vector<LinkedPart>& parts, const Hardware& hardware)
      : parts_(parts), segments_(hardware), cores_(hardware.cores()), flags_(hardware.cores()) {
    for (const LinkedPart& part : parts)
      for (std::size_t core = 0; core < part.program.cores.size(); ++core)
        if (!part.program.cores[core].instructions.empty()) works_.try_emplace(core, part.program.cores[core]);
  }

  Program run() {
    for (const LinkedPart& part : parts_) {
      if (&part != &parts_.front()) meet();
      append(part);
    }
    fetch();
    result_.segments = segments_.segments();
    return std::move(result_);
  }

 private:
  void meet() {
    const int id = barriers_++;
    for (const auto& [core, first] : works_) {
      cores_[core].meet(id, static_cast<int>(works_.size()), barriers_);
      barriers_ += CoreJoin::kAlone;
    }
  }

  void append(const LinkedPart& part) {
    result_.name += (result_.name.empty() ? "" : " + ") + part.program.name;
    segments_.add(part);
    barrier_names_.clear();
    const std::size_t operators = result_.operators.size() - 1;
    if (operators + part.program.operators.size() > std::numeric_limits<std::uint16_t>::max())
      throw UserError(part.source, "with its operators there are more than a program can name");
    result_.operators.insert(result_.operators.end(), part.program.operators.begin() + 1, part.program.operators.end());
    for (std::size_t core = 0; core < part.program.cores.size(); ++core)
      flags_[core].begin(part.program.cores[core].instructions);
    for (std::size_t core = 0; core < part.program.cores.size(); ++core) {
      std::vector<Instruction> instructions = part.program.cores[core].instructions;
      for (Instruction& instruction : instructions) {
        if (instruction.op > 0) instruction.op = static_cast<std::uint16_t>(instruction.op + operators);
        std::visit([&](auto& payload) { adjust(payload, core); }, instruction.payload);
      }
      cores_[core].append(std::move(instructions));
    }
  }

  void adjust(Transfer& transfer, std::size_t) {
    for (Box* box : {&transfer.source, &transfer.target})
      if (box->space == Space::kDram) box->address = segments_.moved(box->address);
  }
  void adjust(Matmul&, std::size_t) {}
  void adjust(Vector&, std::size_t) {}
  void adjust(Signal& signal, std::size_t) { signal.flag = flags_[signal.core].number(signal.flag); }
  void adjust(Wait& wait, std::size_t core) { wait.flag = flags_[core].number(wait.flag); }
  void adjust(Barrier& barrier, std::size_t) {
    const auto [name, fresh] = barrier_names_.try_emplace(barrier.id, barriers_);
    if (fresh) ++barriers_;
    barrier.id = name->second;
  }

  // Where each core fetches from: in the region where its first part's instructions lay.
  void fetch() {
    result_.cores.resize(cores_.size());
    for (const auto& [core, first] : works_) {
      CoreProgram& program = cores_[core].program();
      program.fetch_address = segments_.add_instructions(fmt::format("instructions of core {}", core),
                                                         encoded_size(program), first.get().fetch_address);
      result_.cores[core] = std::move(program);
    }
  }

  const std::vector<LinkedPart>& parts_;
  SegmentJoin segments_;
  std::vector<CoreJoin> cores_;
  std::vector<FlagNames> flags_;
  std::map<std::size_t, std::reference_wrapper<const CoreProgram>> works_;  // cores that do, as in their first part
  std::map<int, int> barrier_names_;                                        // of the present part
  int barriers_ = 0;
  Program result_;
};

}  // namespace

Program link_programs(const std::vector<LinkedPart>& parts, const Hardware& hardware) {
  return Linker(parts, hardware).run();
}

}  // namespace tilewright
