// tilewright communicate: programs whose cores hand data to each other through the network, written and simulated.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "cli/commands.h"
#include "cli/shipped.h"
#include "cli/simulate.h"
#include "planner/emit/communication/all_reduce.h"
#include "planner/emit/communication/broadcast.h"
#include "planner/emit/communication/dataflow_chain.h"
#include "planner/report/run/text.h"
#include "sim/base/error.h"
#include "sim/base/text_file.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/text.h"
#include "sim/isa/verify/verify.h"

namespace tilewright {
namespace {

// What both kinds of program share.
struct CommunicateCommand {
  std::string hardware, program;
  std::vector<int> cores;
};

void add_common_arguments(CLI::App& sub, CommunicateCommand& command, const std::string& cores) {
  add_file_argument(sub, Shipped::kChip, command.hardware)->required();
  sub.add_option("--cores", command.cores, cores + " (default: all, by number)")->delimiter(',')->type_name("N,N,...");
  sub.add_option("--program", command.program, "write the program, for exec")->type_name("FILE.tw");
}

std::vector<int> cores_of(const CommunicateCommand& command, const Hardware& hardware) {
  if (!command.cores.empty()) return command.cores;
  std::vector<int> all(static_cast<std::size_t>(hardware.cores()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

RunResult run_program(const CommunicateCommand& command, const Hardware& hardware, const Program& program) {
  if (!command.program.empty()) write_text_file(command.program, print_program(program));
  return execute_here(program, hardware, {}, false).result;
}

double cycles_of(Picoseconds time, const Hardware& hardware) {
  return static_cast<double>(time) / static_cast<double>(hardware.core_clock.period_ps);
}

void print_network(const RunResult& result) {
  fmt::print("  network                {} packets, mean latency {:.0f} cycles\n",
             count_text(static_cast<std::int64_t>(result.statistics.at("network.packets"))),
             result.statistics.at("network.average_latency"));
  const auto has_links = [](const Statistic& one) { return one.name == "network.link_utilisation_max"; };
  const auto& all = result.statistics.all();
  if (std::none_of(all.begin(), all.end(), has_links)) return;
  fmt::print("  links between routers  busiest {:.1f} %, mean {:.1f} % of the time\n",
             result.statistics.at("network.link_utilisation_max"),
             result.statistics.at("network.link_utilisation_mean"));
}

struct AllReduceCommand : CommunicateCommand {
  AllReduceJob job;
};

void run_all_reduce(AllReduceCommand& command) {
  const Hardware hardware = load_hardware(command.hardware);
  AllReduceJob& job = command.job;
  job.cores = cores_of(command, hardware);
  job.from_memory = false;
  const RunResult result = run_program(command, hardware, all_reduce_program(hardware, job));
  const OperatorResult& all_reduce = result.operators.at(2);
  const double cycles = cycles_of(all_reduce.end - all_reduce.begin, hardware), bound = all_reduce_bound(hardware, job);
  fmt::print("all-reduce of {} over {} cores of {}\n", bytes_text(job.bytes), job.cores.size(), hardware.name);
  fmt::print("  time                   {} cycles\n", cycles_text(cycles));
  fmt::print("  bound                  {} cycles: {} of the vector through a core's port; {:.2f} times that\n",
             cycles_text(bound), job.algorithm == AllReduce::kNetwork ? "(n + 1) / n" : "2 (n - 1) / n",
             cycles / bound);
  print_network(result);
}

void add_all_reduce_command(CLI::App& app) {
  auto command = std::make_shared<AllReduceCommand>();
  CLI::App* sub = app.add_subcommand(
      "all-reduce", "Every core begins with a vector of fp32 in its buffers and ends with the sum of all");
  add_common_arguments(*sub, *command, "the cores in the order of the ring; the first is the root of the tree");
  sub->add_option("--bytes", command->job.bytes, "length of each vector")->required();
  const std::map<std::string, AllReduce> algorithms{{"ring", AllReduce::kRing},
                                                    {"tree", AllReduce::kTree},
                                                    {"naive", AllReduce::kNaive},
                                                    {"network", AllReduce::kNetwork}};
  sub->add_option(
         "--algorithm", command->job.algorithm,
         "ring, tree, naive (everybody to the first core and back) or network (the routers add: network.reduction)")
      ->transform(CLI::CheckedTransformer(algorithms))
      ->type_name("NAME")
      ->default_str("ring");
  sub->add_option("--piece", command->job.piece_bytes, "bytes sent and added at a time");
  sub->callback([command] { run_all_reduce(*command); });
}

struct BroadcastCommand : CommunicateCommand {
  BroadcastJob job;
};

void run_broadcast(BroadcastCommand& command) {
  const Hardware hardware = load_hardware(command.hardware);
  BroadcastJob& job = command.job;
  job.cores = cores_of(command, hardware);
  const RunResult result = run_program(command, hardware, broadcast_program(hardware, job));
  const OperatorResult& broadcast = result.operators.at(2);
  const double cycles = cycles_of(broadcast.end - broadcast.begin, hardware);
  fmt::print("broadcast of {} to {} cores of {}\n", bytes_text(job.bytes), job.cores.size(), hardware.name);
  fmt::print("  time                   {} cycles\n", cycles_text(cycles));
  fmt::print("  DRAM                   {} read\n",
             bytes_text(static_cast<Bytes>(result.statistics.at("memory.read_bytes"))));
  print_network(result);
}

void add_broadcast_command(CLI::App& app) {
  auto command = std::make_shared<BroadcastCommand>();
  CLI::App* sub = app.add_subcommand("broadcast", "Every core ends with the same bytes of DRAM in its buffer");
  add_common_arguments(*sub, *command, "the cores in the order of chain and ring; the first is the root of the tree");
  sub->add_option("--bytes", command->job.bytes, "how many")->required();
  const std::map<std::string, Broadcast> algorithms{{"loads", Broadcast::kLoads},
                                                    {"chain", Broadcast::kChain},
                                                    {"tree", Broadcast::kTree},
                                                    {"rotate", Broadcast::kRotate}};
  sub->add_option(
         "--algorithm", command->job.algorithm,
         "loads (everybody reads all), chain or tree (the first reads, others hand on), rotate (everybody reads a "
         "share, the shares go round)")
      ->transform(CLI::CheckedTransformer(algorithms))
      ->type_name("NAME")
      ->default_str("loads");
  sub->add_option("--piece", command->job.piece_bytes, "bytes handed on at a time");
  sub->callback([command] { run_broadcast(*command); });
}

struct ChainCommand : CommunicateCommand {
  DataflowChain chain;
};

void run_chain(ChainCommand& command) {
  const Hardware hardware = load_hardware(command.hardware);
  DataflowChain& chain = command.chain;
  chain.cores = cores_of(command, hardware);
  const RunResult result = run_program(command, hardware, dataflow_chain_program(hardware, chain));
  const auto bytes = [&](const char* name) { return bytes_text(static_cast<Bytes>(result.statistics.at(name))); };
  fmt::print("{} layers of {} x {}, {} rows in blocks of {}, on {}\n", chain.cores.size(), chain.width, chain.width,
             chain.rows, chain.block_rows, hardware.name);
  fmt::print("  time                   {} cycles\n", cycles_text(cycles_of(result.time, hardware)));
  fmt::print("  DRAM                   {} read, {} written\n", bytes("memory.read_bytes"), bytes("memory.write_bytes"));
  if (chain.cores.size() > 1) fmt::print("  from core to core      {}\n", bytes("memory.peer_write_bytes"));
  print_network(result);
}

void add_chain_command(CLI::App& app) {
  auto command = std::make_shared<ChainCommand>();
  CLI::App* sub = app.add_subcommand(
      "chain", "Products one behind the other, each core with the weights of one, rows of bf16 go from core to core");
  add_common_arguments(*sub, *command, "the cores of the layers, in order");
  sub->add_option("--rows", command->chain.rows, "rows of the input")->required();
  sub->add_option("--width", command->chain.width, "columns of the input and of every weight")->required();
  sub->add_option("--block", command->chain.block_rows, "rows handed over at a time")->required();
  sub->callback([command] { run_chain(*command); });
}

}  // namespace

void add_communicate_command(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("communicate", "Write and simulate programs whose cores hand data to each other");
  sub->require_subcommand(1);
  add_all_reduce_command(*sub);
  add_broadcast_command(*sub);
  add_chain_command(*sub);
}

}  // namespace tilewright
