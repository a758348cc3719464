#include <algorithm>

#include "sim/base/stop.h"
#include "sim/isa/verify/violations.h"

namespace tilewright {

namespace {

constexpr int kNobody = -1;

struct TokenState {
  int held = 0;            // posted and not yet waited for
  int producer = kNobody;  // stream
  int consumer = kNobody;
  int last_post = -1;  // instruction, for messages
};

// Walks one core in program order, which is a legal sequential execution.
class TokenWalk {
 public:
  TokenWalk(const CoreProgram& core, int index, Violations& violations)
      : core_(core), index_(index), violations_(violations) {}

  void run() {
    for (std::size_t i = 0; i < core_.instructions.size(); ++i) {
      check_stop();
      const Instruction& instruction = core_.instructions[i];
      for (const auto token : instruction.waits) wait(token, instruction.unit, static_cast<int>(i));
      for (const auto token : instruction.posts) post(token, instruction.unit, static_cast<int>(i));
    }
    for (std::size_t token = 0; token < tokens_.size(); ++token) check_left(token);
  }

 private:
  TokenState& state(std::uint16_t token) {
    if (token >= tokens_.size()) tokens_.resize(token + 1);
    return tokens_[token];
  }

  void wait(std::uint16_t token, Unit unit, int at) {
    TokenState& s = state(token);
    if (s.held == 0) {
      violations_.add(index_, at, fmt::format("token t{} is waited for before it is posted", token));
    } else {
      --s.held;
    }
    own(s.consumer, token, unit, at, "waited for");
  }

  void post(std::uint16_t token, Unit unit, int at) {
    TokenState& s = state(token);
    ++s.held;
    s.last_post = at;
    own(s.producer, token, unit, at, "posted");
  }

  void own(int& owner, std::uint16_t token, Unit unit, int at, std::string_view verb) {
    if (owner == kNobody) owner = static_cast<int>(unit);
    if (owner == static_cast<int>(unit)) return;
    violations_.add(index_, at,
                    fmt::format("token t{} is {} by the {} stream and by the {} stream", token, verb,
                                name_of(static_cast<Unit>(owner)), name_of(unit)));
  }

  void check_left(std::size_t token) {
    const TokenState& s = tokens_[token];
    if (s.held == 0) return;
    violations_.add(index_, s.last_post,
                    fmt::format("token t{} is left over at the end ({} posted, not waited for)", token, s.held));
  }

  const CoreProgram& core_;
  int index_;
  Violations& violations_;
  std::vector<TokenState> tokens_;
};

}  // namespace

void check_tokens(const Program& program, Violations& violations) {
  for (std::size_t core = 0; core < program.cores.size() && !violations.full(); ++core) {
    TokenWalk(program.cores[core], static_cast<int>(core), violations).run();
  }
}

}  // namespace tilewright
