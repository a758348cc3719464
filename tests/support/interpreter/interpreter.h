// Executes a program's values in program order, core after core up to each barrier or missing flag, with no notion of
// time: a second, independent reading of the instruction set's meaning that lowerings are tested against.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright::test {

class Interpreter {
 public:
  // `program` outlives it.
  Interpreter(const Program& program, const Hardware& hardware);

  std::vector<std::byte>& segment(const std::string& name);
  // The addressed memory of a cluster.
  const std::vector<std::byte>& cluster(int number) const { return clusters_.at(number); }

  void run();
  std::int64_t macs() const { return macs_; }

 private:
  using Memory = std::vector<std::byte>;
  using Memories = std::array<Memory, kSpaceCount>;

  bool advance(int core);
  void execute(int core, const Payload& payload);
  bool pass_barriers();
  std::byte* at(int core, Space space, Address address, int bytes, int owner = kOwnMemory);
  double sum_of(const Transfer& t, Address address);
  void transfer(int core, const Transfer& t);
  double element(int core, const MatmulOperand& o, const MatmulExtents& row, const MatmulExtents& column,
                 DataType type);
  void matmul(int core, const Matmul& m);
  double read(int core, const VectorOperand& o, const Extents& i);
  void vector(int core, const Vector& v);
  void reduce(int core, const Vector& v);

  const Program& program_;
  std::vector<std::size_t> next_;          // instruction, per core
  std::vector<std::map<int, int>> flags_;  // per core: how often each is set
  std::vector<int> cluster_of_;
  std::vector<Memory> clusters_;
  std::vector<Memories> memory_;
  std::map<Address, std::vector<std::byte>> dram_;
  std::int64_t macs_ = 0;
};

}  // namespace tilewright::test
