#include "validation/noc_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

constexpr double kSessionBandPercent = 10;
constexpr int kFlitBytes = 64, kDataFlits = 4;
constexpr Bytes kRequest = kDataFlits * kFlitBytes;
constexpr double kPicosecondsPerCycle = 1000;  // of the network
constexpr int kClocksPerCycle = 4;             // of a core, per network cycle: its ports and units take next to no time
constexpr Bytes kStored = 4096;  // where the data of stores begin in buffer A; loads write in front of them
constexpr std::uint16_t kLoadToken = 0, kStoreToken = 1;

int sender(int router) { return 2 * router; }
int receiver(int router) { return 2 * router + 1; }

std::string topology_text(const NetworkSpec& spec) {
  if (spec.topology == Topology::kRing) return fmt::format("topology: ring, routers: {}", spec.routers);
  return fmt::format("topology: mesh, columns: {0}, rows: {0}", spec.mesh_columns);
}

Transfer transfer_of(TransferKind kind, const Box& source, const Box& target) {
  Transfer transfer;
  transfer.kind = kind;
  transfer.type = DataType::kInt8;
  transfer.shape[kBoxDims - 1] = kRequest;
  transfer.source = source;
  transfer.target = target;
  transfer.source.stride[kBoxDims - 1] = transfer.target.stride[kBoxDims - 1] = 1;
  return transfer;
}

// One core's share of a row's traffic.
class Sender {
 public:
  Sender(const NocTraffic& traffic, int router) : traffic_(traffic), router_(router) {}

  // Keeps the vector unit busy for `cycles` of the network: it reduces a repeated element.
  void pause(Cycles cycles) {
    Vector vector;
    vector.op = VectorOp::kReduceMax;
    vector.shape[kBoxDims - 1] = cycles * kClocksPerCycle;
    vector.target.address = 4;
    core_.instructions.push_back({Unit::kVector, 1, {}, {}, vector});
  }
  void send(int router, bool read) {
    if (!traffic_.request_reply) {
      core_.instructions.push_back({Unit::kVector, 1, {}, {}, Signal{receiver(router), 0}});
      return;
    }
    const int peer = receiver(router);
    const Box own{Space::kBufferA, read ? 0 : kStored, {}, kOwnMemory};
    // Every sender has a place of its own in the other's buffer.
    const Box other{read ? Space::kBufferA : Space::kBufferB, read ? 0 : router_ * kRequest, {}, peer};
    const Transfer transfer =
        read ? transfer_of(TransferKind::kLoad, other, own) : transfer_of(TransferKind::kStore, own, other);
    Instruction instruction{read ? Unit::kLoad : Unit::kStore, 1, {}, {}, transfer};
    const std::uint16_t token = read ? kLoadToken : kStoreToken;
    core_.instructions.back().posts.add(token);
    instruction.waits.add(token);
    core_.instructions.push_back(instruction);
  }
  CoreProgram& core() { return core_; }

 private:
  const NocTraffic& traffic_;
  int router_;
  CoreProgram core_;
};

// Bernoulli, as the network's own comparison draws it. Returns how many packets went to each router.
void add_packets(Sender& sender, int router, const NetworkSpec& spec, const NocTraffic& traffic, Cycles cycles,
                 SplitMix64 random, std::vector<int>& sent_to) {
  Cycles last = 0;
  for (Cycles now = 1; now <= cycles; ++now) {
    if (random.unit_interval() >= traffic.packets_per_cycle) continue;
    const bool read = traffic.request_reply && random.unit_interval() < kReadShare;
    const int destination = noc_destination(spec, traffic, router, random);
    sender.pause(now - last);
    sender.send(destination, read);
    ++sent_to[destination];
    last = now;
  }
}

// Cycles in which a channel surely hands over a core's instructions, network and refresh included.
Cycles fetch_cycles(const CoreProgram& core) { return 2000 + static_cast<Cycles>(encoded_size(core)) / 16; }

void place(Program& program, int core, const Hardware& chip) {
  const Bytes bytes = round_up<Bytes>(encoded_size(program.cores[core]), 64);
  Address& address = program.cores[core].fetch_address;
  address = chip.dram.region_capacity() * (core / 2) + chip.dram.region_capacity() / 2 * (core % 2);
  program.segments.push_back(
      {fmt::format("code{}", core), SegmentKind::kInstructions, DataType::kInt8, address, bytes});
}

}  // namespace

Hardware noc_session_chip(const NocReferenceRow& row, int group_flits) {
  const NetworkSpec spec = noc_spec_of(row);
  const NocTraffic traffic = noc_traffic_of(row);
  const std::string text = fmt::format(R"(
name: noc_row
clusters: {0}
cores_per_cluster: 2
core:
  frequency_mhz: {1}
  buffer_a_kib: 64
  buffer_b_kib: 64
  accumulator_kib: 64
  matmul: {{rows: 8, columns: 8}}
  vector: {{lanes: 1}}
  dma: {{setup_cycles: 0, outstanding_requests: 65536, request_bytes: {2}, buffer_bytes_per_cycle: {2}}}
  control: {{unit_queue: 65536, dispatch_per_cycle: 64, fetch_bytes: 4096, fetch_ahead: 65536, signals: packets}}
network: {{{3}, frequency_mhz: 1000, flit_bytes: {4}, header_bytes: {5},
  router: {{virtual_channels: {6}, link_cycles: {7}, group_flits: {8}}}}}
dram: {{preset: HBM2_2000, channels: {0}, regions: {0}, interleave_bytes: {2}}}
)",
                                       spec.routers, 1000 * kClocksPerCycle, kRequest, topology_text(spec), kFlitBytes,
                                       traffic.request_reply ? kFlitBytes : traffic.packet_flits * kFlitBytes,
                                       traffic.request_reply ? 4 : 8, row.link_cycles, group_flits);
  return load_hardware_text(text, row.name());
}

Program noc_session_program(const NocReferenceRow& row, const Hardware& chip, Cycles cycles, std::uint64_t seed) {
  const NetworkSpec spec = noc_spec_of(row);
  const NocTraffic traffic = noc_traffic_of(row);
  Program program{.name = row.name(), .operators = {"none", "traffic"}};
  program.cores.resize(2 * static_cast<std::size_t>(spec.routers));
  std::vector<int> sent_to(static_cast<std::size_t>(spec.routers));
  std::vector<Sender> senders;
  Cycles fetched = 0;
  for (int router = 0; router < spec.routers; ++router) {
    senders.emplace_back(traffic, router);
    senders.back().pause(1);
    add_packets(senders.back(), router, spec, traffic, cycles, SplitMix64(SplitMix64::at(seed, router)), sent_to);
    fetched = std::max(fetched, fetch_cycles(senders.back().core()));
  }
  for (int router = 0; router < spec.routers; ++router) {
    CoreProgram& core = program.cores[sender(router)] = senders[router].core();
    std::get<Vector>(core.instructions[0].payload).shape[kBoxDims - 1] = fetched * kClocksPerCycle;
    place(program, sender(router), chip);
    if (traffic.request_reply || sent_to[router] == 0) continue;
    program.cores[receiver(router)].instructions = {{Unit::kLoad, 1, {}, {}, Wait{0, sent_to[router]}}};
    place(program, receiver(router), chip);
  }
  return program;
}

double noc_session_latency(const NocReferenceRow& row, const RunResult& result) {
  const auto value = [&](const char* name) { return result.statistics.at("memory.peer_" + std::string(name)); };
  if (!noc_traffic_of(row).request_reply) return value("average_signal_latency") / kClocksPerCycle;
  const double reads = value("reads"), writes = value("writes");
  const double there_and_back =
      (reads * value("average_read_latency") + writes * value("average_write_latency")) / (reads + writes);
  return there_and_back / 2 / kClocksPerCycle;
}

double noc_session_throughput(const NocReferenceRow& row, const Program& program, const RunResult& result) {
  const NocTraffic traffic = noc_traffic_of(row);
  const auto value = [&](const char* name) { return result.statistics.at("memory.peer_" + std::string(name)); };
  const double flits = traffic.request_reply ? (value("reads") + value("writes")) * (kDataFlits + 2)
                                             : value("signals") * traffic.packet_flits;
  const auto& first = std::get<Vector>(program.cores[sender(0)].instructions[0].payload);
  const double cycles = static_cast<double>(result.time - result.operators[1].begin) / kPicosecondsPerCycle -
                        static_cast<double>(first.shape[kBoxDims - 1]) / kClocksPerCycle;
  return flits / cycles / row.nodes;
}

NocSessionRuns::ChipKey NocSessionRuns::key_of(const NocReferenceRow& row) {
  return {row.topology, row.packet, noc_traffic_of(row).request_reply};
}

NocSessionRuns::NocSessionRuns(const std::string& path, const NocEffort& effort) : effort_(effort) {
  for (const NocReferenceRow& row : read_noc_reference(path))
    prepared_.attempt("network on a Session", [&] { prepare(row); });
}

// Where links between routers are what limits, senders that are served sooner leave the others alone at the end, so
// that the time of a run says little of the throughput while all of them sent.
void NocSessionRuns::prepare(const NocReferenceRow& row) {
  if (row.throughput && noc_traffic_of(row).pattern != NocPattern::kHotspot)
    throw UserError(row.name(), "a program has an end, and the load of what links limit fades before it");
  std::unique_ptr<Session>& session = sessions_[key_of(row)];
  if (!session) session = std::make_unique<Session>(noc_session_chip(row, kChipGroupFlits));
  rows_.push_back(row);
}

void NocSessionRuns::run(const NocReferenceRow& row, ValidationReport& report) {
  Session& session = session_of(row);
  const Cycles cycles = effort_.measured / (row.nodes > 16 ? 5 : 1);
  const Program program = noc_session_program(row, session.hardware(), cycles, effort_.seed);
  const RunResult result = session.run(program);
  if (row.throughput) {
    report.add("on a Session, throughput", row.name(), "flits/terminal/cycle", row.accepted,
               noc_session_throughput(row, program, result), kSessionBandPercent);
    return;
  }
  const NocLoad load = load_of(row);
  report.add(fmt::format("on a Session, latency {}", name_of(load)), row.name(), "cycles", row.latency,
             noc_session_latency(row, result),
             load == NocLoad::kToSixty ? std::optional(kSessionBandPercent) : std::nullopt);
}

void NocSessionRuns::compare(ValidationReport& report) {
  for (const NocReferenceRow& row : rows_) report.attempt("network on a Session", [&] { run(row, report); });
  report.left_out.insert(report.left_out.end(), prepared_.left_out.begin(), prepared_.left_out.end());
}

}  // namespace tilewright
