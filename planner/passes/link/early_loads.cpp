#include "planner/passes/link/early_loads.h"

#include <algorithm>
#include <optional>

#include "planner/constants/constants.h"
#include "planner/ir/hand_on.h"
#include "sim/base/stop.h"
#include "sim/isa/operand.h"
#include "sim/isa/request_splitter.h"

namespace tilewright {
namespace {

struct Touch {
  Footprint bytes;
  Space space;
  bool write;
};
using Touches = std::vector<Touch>;

Touches touches_of(const Instruction& instruction) {
  Touches touched;
  for (const Operand& operand : operands_of(instruction))
    touched.push_back({footprint_of(operand), operand.space, operand.write});
  return touched;
}

bool conflict(const Touches& a, const Touches& b) {
  for (const Touch& x : a)
    for (const Touch& y : b)
      if (x.space == y.space && (x.write || y.write) && touches(x.bytes, y.bytes)) return true;
  return false;
}

bool is_transfer(const PlainInstruction& plain) {
  return plain.instruction.unit == Unit::kLoad && std::holds_alternative<Transfer>(plain.instruction.payload);
}

// For another core's signal.
bool is_wait(const PlainInstruction& plain) {
  return plain.instruction.unit == Unit::kLoad && std::holds_alternative<Wait>(plain.instruction.payload);
}

Bytes bytes_of(const Transfer& transfer) { return element_count(unpadded(transfer)) * bytes_of(transfer.type); }

// Takes the first `part` of dimension `d` out of the transfer, which keeps the rest.
Transfer cut_off(Transfer& transfer, int d, std::int64_t part) {
  Transfer first = transfer;
  first.shape[d] = part;
  transfer.shape[d] -= part;
  transfer.source.address += part * transfer.source.stride[d];
  transfer.target.address += part * transfer.target.stride[d];
  for (Transfer* piece : {&first, &transfer})
    if (piece->shape[d] == 1) piece->source.stride[d] = piece->target.stride[d] = 0;
  return first;
}

// Not of what is padded or summed on the way, nor into parts shorter than a request.
std::optional<Transfer> first_part(Transfer& transfer, Bytes most, Bytes request) {
  const int d = static_cast<int>(std::ranges::find_if(transfer.shape, [](auto size) { return size > 1; }) -
                                 transfer.shape.begin());
  if (d == kBoxDims || transfer.sums() || transfer.pad_low != Extents{} || transfer.pad_high != Extents{})
    return std::nullopt;
  const Bytes each = bytes_of(transfer) / transfer.shape[d];
  const std::int64_t part = most / each;
  if (part < 1 || part >= transfer.shape[d] || std::min(part, transfer.shape[d] - part) * each < request)
    return std::nullopt;
  return cut_off(transfer, d, part);
}

class LoadOrder {
 public:
  LoadOrder(std::vector<PlainInstruction> plain, Bytes bytes, Bytes request)
      : plain_(std::move(plain)), bytes_(bytes), request_(request), moved_(plain_.size(), false) {
    for (const PlainInstruction& at : plain_) touched_.push_back(touches_of(at.instruction));
  }

  std::vector<PlainInstruction> run() {
    std::vector<PlainInstruction> ordered;
    int met = -1;  // the last barrier that loads have waited for
    for (std::size_t at = 0; at < plain_.size(); ++at) {
      if (moved_[at]) continue;
      if (waits(plain_[at], met)) {
        check_stop();
        take_ready(at, met, ordered);
        met = std::max(met, plain_[at].barrier);
      }
      ordered.push_back(std::move(plain_[at]));
    }
    return ordered;
  }

 private:
  static bool waits(const PlainInstruction& plain, int met) {
    return is_wait(plain) || (is_transfer(plain) && plain.barrier > met);
  }

  // In front of the load at `stop`.
  void take_ready(std::size_t stop, int met, std::vector<PlainInstruction>& ordered) {
    Bytes left = bytes_;
    const std::size_t end = std::min(plain_.size(), stop + static_cast<std::size_t>(constants().early_load_distance));
    int held = plain_[stop].turn;  // the last operator whose further loads come behind a wait of its own
    for (std::size_t at = stop + 1; at < end && left >= request_; ++at) {
      if (is_wait(plain_[at])) held = plain_[at].turn;
      if (plain_[at].turn == held || moved_[at] || !is_transfer(plain_[at])) continue;
      if (plain_[at].barrier > met || !may_pass(at, stop)) continue;
      Transfer& transfer = std::get<Transfer>(plain_[at].instruction.payload);
      const Bytes bytes = bytes_of(transfer);
      if (bytes <= left) {
        moved_[at] = true;
        left -= bytes;
        ordered.push_back(plain_[at]);
      } else if (const auto first = first_part(transfer, left, request_)) {
        ordered.push_back(plain_[at]);
        ordered.back().instruction.payload = *first;
        touched_[at] = touches_of(plain_[at].instruction);
        return;
      }
    }
  }

  // What comes in between neither writes what the load reads nor uses its place, nor does another core.
  bool may_pass(std::size_t load, std::size_t stop) const {
    for (std::size_t at = stop; at < load; ++at)
      if (waits_until_taken(plain_[at].instruction) || (!moved_[at] && conflict(touched_[at], touched_[load])))
        return false;
    return true;
  }

  std::vector<PlainInstruction> plain_;
  const Bytes bytes_, request_;
  std::vector<bool> moved_;
  std::vector<Touches> touched_;
};

}  // namespace

std::vector<PlainInstruction> with_early_loads(std::vector<PlainInstruction> plain, Bytes bytes, Bytes request) {
  return LoadOrder(std::move(plain), bytes, request).run();
}

}  // namespace tilewright
