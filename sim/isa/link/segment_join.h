// The segments of linked programs: which are one, where each lies, and what that makes of an instruction's addresses.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/hw/config/hardware.h"
#include "sim/isa/link/link_programs.h"

namespace tilewright {

class SegmentJoin {
 public:
  explicit SegmentJoin(const Hardware& hardware) : hardware_(hardware) {}

  // Takes the part's segments, all but those of instructions.
  void add(const LinkedPart& part);
  // Room for instructions in the region of `near`.
  Address add_instructions(const std::string& name, Bytes bytes, Address near);
  const std::vector<Segment>& segments() const { return segments_; }

  // Where the bytes that the last part added has at `address` are now.
  Address moved(Address address) const;

 private:
  struct Move {
    Address end;
    Bytes by;
  };

  // The segment's place in the list, new or that of the same name.
  std::size_t place_of(const Segment& segment, const std::string& source);
  void join(Segment& joined, const Segment& segment, const std::string& source);
  std::size_t place(Segment segment, const std::string& source);
  // The lowest free address from `wanted` on, then from the beginning of its region, by whole steps.
  Address free_address(const Segment& segment, const std::string& source) const;
  // The end of a segment that [low, low + bytes) meets, or `low`.
  Address end_of_neighbour(Address low, Bytes bytes) const;
  std::string unused_name(const std::string& name) const;

  const Hardware& hardware_;
  std::vector<Segment> segments_;
  std::map<std::string, std::size_t> by_name_;
  std::map<std::string, std::string> origin_;  // by name: the source that had it first
  std::map<Address, Address> taken_;           // from, to
  std::map<Address, Move> moves_;              // of the last part, by first address
};

}  // namespace tilewright
