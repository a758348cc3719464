#include "cli/workload_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/shipped.h"
#include "planner/graph/data_type_choices.h"
#include "planner/import/import.h"
#include "planner/import/operator_types.h"
#include "planner/passes/allocate/store_file.h"
#include "planner/passes/group/group_file.h"
#include "planner/passes/pass.h"
#include "planner/report/run/plan_text.h"
#include "planner/search/order/order_file.h"
#include "planner/search/tiling/measured_ways.h"
#include "planner/search/tiling/plan_network.h"
#include "sim/base/error.h"
#include "sim/base/number_text.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

// Declared so that help shows the name alone; CLI11's own "!--name" is shown as "--name{false}".
void add_switch_off(CLI::App& command, const std::string& name, bool& value, const std::string& description) {
  command.add_flag_callback(
      name, [&value] { value = false; }, description);
}

void add_language_options(CLI::App& command, WorkloadOptions& options) {
  LanguageRun& run = options.language;
  command
      .add_option("--phase", options.phase,
                  "of a language model's config.json: prefill (the prompts) or decode (the next tokens)")
      ->check(CLI::IsMember({"prefill", "decode"}))
      ->type_name("PHASE");
  command.add_option("--context", run.context, "tokens of each prompt, or in the cache before the next token")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 31).description(""));
  command
      .add_option("--new", run.new_tokens,
                  "tokens that decode adds to each sequence; the one in the middle is simulated")
      ->check(at_least(1));
  command
      .add_option("--routing", run.routing, "experts of every token, as a JSON list of lists (default: drawn by seed)")
      ->type_name("FILE");
  command.add_option("--routing-seed", run.routing_seed, "of the experts that are drawn");
  CLI::Option* weights =
      command
          .add_option("--weights", options.weights,
                      "of the blocks' products: float, int8 or int4 with scales (default: as the configuration says)")
          ->check(CLI::IsMember({"float", "int8", "int4"}))
          ->type_name("FORMAT");
  command.add_option("--group-size", options.group_size, "rows of those weights that share a scale")
      ->check(at_least(1))
      ->needs(weights);
}

// Where tensors lie, and how.
void add_place_options(CLI::App& command, WorkloadOptions& options) {
  command
      .add_option("--placement", options.placement,
                  "where pieces of tensors lie: local (next to the cores that use them), "
                  "round-robin, or auto, whichever is predicted to be faster")
      ->check(CLI::IsMember({"auto", "local", "round-robin"}))
      ->type_name("WHERE");
  command
      .add_option(
          "--layout", options.layout,
          "how images between operators lie: row-major as their shapes say (NCHW), or auto, row by row with all "
          "channels (NHCW) where that is predicted to be faster")
      ->check(CLI::IsMember({"auto", "row-major"}))
      ->type_name("WHICH");
  command
      .add_option(
          "--row-gaps", options.row_gaps,
          "room behind rows of inputs and results in memory: auto, as much as lets rows that would all begin in "
          "few DRAM channels begin in all, or none")
      ->check(CLI::IsMember({"auto", "none"}))
      ->type_name("WHICH");
  command
      .add_option("--constants", options.constants,
                  "where constants lie that cores next to several memories read: near, a copy in each where there is "
                  "room, or once")
      ->check(CLI::IsMember({"near", "once"}))
      ->type_name("WHERE");
  command
      .add_option("--early-loads", options.early_loads,
                  "loads of later operators in front of those that wait for other cores: always, none, or auto, where "
                  "that is predicted to be faster and no blocks repeat")
      ->check(CLI::IsMember({"auto", "none", "always"}))
      ->type_name("WHICH");
  command
      .add_option("--abreast", options.abreast,
                  "neighbouring output columns that a convolution of fewer filters than the array has columns computes "
                  "at a time: auto, as many as are predicted to be fastest, or none")
      ->check(CLI::IsMember({"auto", "none"}))
      ->type_name("WHICH");
  command
      .add_option("--hand-on", options.hand_on,
                  "operands of a product that cores take from each other in place of memory: auto, those that are "
                  "predicted to be faster so, or none")
      ->check(CLI::IsMember({"auto", "none"}))
      ->type_name("WHICH");
}

}  // namespace

void add_dim_option(CLI::App& command, std::vector<std::string>& dimensions) {
  command
      .add_option("--dim", dimensions,
                  "value of a dimension that an ONNX model names, e.g. sequence_length=128; may be given several times")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
}

void add_workload_options(CLI::App& command, WorkloadOptions& options) {
  add_file_argument(command, Shipped::kChip, options.hardware)->required();
  add_file_argument(command, Shipped::kWorkload, options.workload)->required();
  add_type_option(command, "--type", options.type);
  command
      .add_option("--types", options.types,
                  "YAML file with element types of single operators in place of --type (docs/workloads.md)")
      ->type_name("FILE");
  command.add_option("--batch", options.batch, "value of a symbolic batch dimension")->check(at_least(1));
  add_dim_option(command, options.dimensions);
  add_language_options(command, options);
  command
      .add_option(
          "--parallel", options.parallel,
          "what the cores share: data (samples), model (parts of an operator), hybrid (samples between clusters, "
          "parts inside), free (whichever is predicted to be fastest, operator by operator), auto (measure all)")
      ->check(CLI::IsMember({"data", "model", "hybrid", "free", "auto"}))
      ->type_name("MODE");
  command
      .add_option("--cores", options.cores, "use only this many cores of the chip, from the first on; all if not given")
      ->check(CLI::Range(1, 1 << 20));
  command
      .add_option(
          "--fewer-cores", options.fewer_cores,
          "whether fewer cores are faster: predicted, operator by operator, or measured, half as many, a quarter "
          "... for the whole workload")
      ->check(CLI::IsMember({"predicted", "measured"}))
      ->type_name("HOW");
  command.add_flag("--convert-inputs", options.convert_inputs,
                   "inputs lie in memory in the workload's type, and the program converts them to --type");
  add_place_options(command, options);
  command.add_option("--strategies", options.strategies, "YAML file with split strategies that replace default ones")
      ->type_name("FILE");
  command.add_option("--dump-after", options.dump_after, "print the plan after this pass")->type_name("PASS");
  command
      .add_option("--decompose-above-kib", options.decompose_above_kib,
                  "decompose operators whose inputs, parameters and output are larger (default: the chip's memory)")
      ->check(at_least(1));
  command.add_flag(
      "--share-memory", options.share_memory,
      "tensors between operators lie in the same memory one after the other (default: if there is no room)");
  command
      .add_option("--group", options.group,
                  "operators that are computed together: auto (where it is predicted to pay: products one behind the "
                  "other by blocks of rows, softmax behind them; what is added to or multiplied with a result in its "
                  "product or convolution), none, or a file of groups (docs/fusion.md)")
      ->type_name("auto|none|FILE");
  command
      .add_option("--store", options.store,
                  "where results between operators lie: auto (in cluster memory that programs address, where that is "
                  "predicted to be faster), none (in DRAM), or a file of stores (docs/labels.md)")
      ->type_name("auto|none|FILE");
  add_switch_off(command, "--no-overlap", options.overlap,
                 "on each core an operator starts when the one before it is done");
  add_switch_off(command, "--no-refine", options.refine,
                 "tilings of the closed formulas, not refined by predicted time");
  add_switch_off(command, "--no-predict", options.predict,
                 "tilings as refined, without the choice among a few others by the queue model");
}

void add_order_option(CLI::App& command, WorkloadOptions& options) {
  command.add_option("--order", options.order, "run the operators in this order, as schedule writes it")
      ->type_name("FILE");
}

CLI::Option* add_type_option(CLI::App& command, const std::string& name, std::string& type) {
  return command
      .add_option(name, type,
                  fmt::format("element type: {}; of quantised networks that of what stays float",
                              fmt::join(network_type_names(), ", ")))
      ->check(CLI::IsMember(network_type_names()))
      ->type_name("TYPE");
}

CLI::Validator at_least(std::int64_t low) { return CLI::Range(low, std::int64_t{1} << 31).description(""); }

DataType matmul_type(const std::string& type) {
  const auto parsed = parse_data_type(type);
  SIM_CHECK(parsed, "element type '{}' passed the argument check", type);
  return *parsed;
}

PlanOptions plan_options(const WorkloadOptions& options) {
  PlanOptions plan{.type = matmul_type(options.type)};
  plan.overlap_operators = options.overlap;
  plan.refine = options.refine;
  plan.predict = options.predict;
  if (options.group == "none")
    plan.group = Grouping::kNone;
  else if (options.group != "auto")
    plan.groups = read_groups(options.group);
  if (options.store == "none")
    plan.stores.emplace();
  else if (options.store != "auto")
    plan.stores = read_stores(options.store);
  plan.share_memory = options.share_memory;
  plan.cores = options.cores;
  plan.convert_inputs = options.convert_inputs;
  plan.decompose_above = options.decompose_above_kib * 1024;
  for (std::size_t i = 0; i < kParallelNames.size(); ++i)
    if (kParallelNames[i] == options.parallel) plan.parallel = static_cast<Parallel>(i);
  if (options.layout == "row-major") plan.layout = ImageLayout::kRowMajor;
  plan.row_gaps = options.row_gaps == "auto";
  plan.replicate = options.constants == "near";
  plan.abreast = options.abreast == "auto";
  plan.hand_on = options.hand_on == "auto";
  if (options.early_loads == "none") plan.early_loads = EarlyLoads::kNone;
  if (options.early_loads == "always") plan.early_loads = EarlyLoads::kAlways;
  if (options.placement == "local") plan.placement = Placement::kLocal;
  if (options.placement == "round-robin") plan.placement = Placement::kRoundRobin;
  if (!options.strategies.empty())
    plan.strategies =
        std::make_shared<const StrategyTable>(default_strategies().overridden_by(read_strategies(options.strategies)));
  if (options.order.empty()) return plan;
  plan.order = read_order(options.order).operators;
  plan.order_source = options.order;
  return plan;
}

namespace {

// The one behind which nothing has to run; empty: all have to.
std::string_view last_pass(const WorkloadOptions& options, std::string_view needed) {
  std::string_view last;
  if (needed.empty() || !options.dump_after.empty()) return last;
  for (const Pass& pass : all_passes())
    if (pass.name == needed || (pass.name == "order" && !options.order.empty())) last = pass.name;
  return last;
}

std::optional<WeightFormat> weight_format(const WorkloadOptions& options) {
  if (options.weights.empty()) return std::nullopt;
  if (options.weights == "float") return WeightFormat{};
  return WeightFormat{options.weights == "int8" ? 8 : 4, options.group_size};
}

}  // namespace

std::map<std::string, std::int64_t> dimensions_of(const std::vector<std::string>& texts) {
  std::map<std::string, std::int64_t> values;
  for (const std::string& text : texts) {
    const std::size_t equals = std::min(text.rfind('='), text.size());
    const auto value = number_of<std::int64_t>(std::string_view(text).substr(std::min(equals + 1, text.size())));
    if (equals == 0 || !value || *value < 1)
      throw UserError("--dim", fmt::format("got '{}', expected NAME=N, N at least 1", text));
    if (!values.emplace(text.substr(0, equals), *value).second)
      throw UserError("--dim", fmt::format("'{}' is given twice", text.substr(0, equals)));
  }
  return values;
}

ImportOptions import_options(const WorkloadOptions& options) {
  ImportOptions import{.type = matmul_type(options.type), .batch = options.batch};
  import.dimensions = dimensions_of(options.dimensions);
  import.inputs = options.inputs;
  import.values = options.values;
  import.blocks = options.blocks;
  import.language = options.language;
  import.language.weights = weight_format(options);
  if (options.phase == "decode") import.language.phase = LanguagePhase::kDecode;
  if (!is_language_config(options.workload) && import.language != LanguageRun{})
    throw UserError(
        options.workload,
        "--phase, --context, --new, --routing and --weights are for configurations of language models (.json)");
  return import;
}

Plan plan_workload(const WorkloadOptions& options, std::string_view needed) {
  return plan_workload_on(load_hardware(options.hardware), options, needed);
}

Plan plan_workload_on(const Hardware& hardware, const WorkloadOptions& options, std::string_view needed) {
  const Graph graph = import_workload(options.workload, import_options(options));
  return naming_workload(options.workload, [&] {
    return plan_graph(graph, hardware, options, needed, [](const std::string& text) { fmt::print("{}", text); });
  });
}

namespace {

void check_rates(const Graph& graph, const Hardware& hardware, const OperatorTypes& types) {
  for (const Operator& op : graph.operators()) {
    const auto* row = is_contraction(op.kind) ? types.row_of(op) : nullptr;
    if (row != nullptr && hardware.core.matmul.rate[static_cast<int>(row->type)] <= 0)
      throw UserError(row->where,
                      fmt::format("{}: the matmul unit of '{}' does not multiply {}: core.matmul.rate.{} is 0",
                                  place_of(op), hardware.name, name_of(row->type), name_of(row->type)));
  }
}

}  // namespace

Graph typed_graph(const Graph& graph, const Hardware& hardware, const WorkloadOptions& options) {
  if (options.types.empty()) return graph;
  const OperatorTypes types = read_operator_types(options.types);
  check_rates(graph, hardware, types);
  return with_operator_types(graph, types, matmul_type(options.type));
}

namespace {

// Goes on with the fastest of `ways`.
void take_fastest(AskedPlan& asked, const Hardware& hardware, const std::string& title,
                  const std::vector<PlanningWay>& ways, const std::function<void(const std::string&)>& print) {
  const std::vector<MeasuredWay> measured = measure_ways(asked.graph, hardware, ways);
  print(ways_text(title, measured));
  asked.options = fastest(measured).way.options;
}

}  // namespace

bool measures_ways(const WorkloadOptions& options) {
  return options.parallel == "auto" || options.fewer_cores == "measured";
}

AskedPlan asked_plan(const Graph& graph, const Hardware& hardware, const WorkloadOptions& options,
                     const std::function<void(const std::string&)>& print) {
  AskedPlan asked{typed_graph(graph, hardware, options), plan_options(options)};
  if (options.cores > hardware.cores())
    throw UserError("--cores", fmt::format("got {}, but '{}' has {}", options.cores, hardware.name, hardware.cores()));
  if (options.parallel == "auto") take_fastest(asked, hardware, "Parallel modes", parallel_ways(asked.options), print);
  if (options.fewer_cores == "measured")
    take_fastest(asked, hardware, "Numbers of cores", core_ways(asked.options, hardware), print);
  return asked;
}

PassOptions dumping_passes(const WorkloadOptions& options, const std::function<void(const std::string&)>& print) {
  return {.dump_after = options.dump_after, .dump = [print](std::string_view pass, const Plan& plan) {
            print(fmt::format("After {}:\n{}\n", pass, plan_text(plan)));
          }};
}

Plan plan_graph(const Graph& graph, const Hardware& hardware, const WorkloadOptions& options, std::string_view needed,
                const std::function<void(const std::string&)>& print) {
  const AskedPlan asked = asked_plan(graph, hardware, options, print);
  PassOptions passes = dumping_passes(options, print);
  passes.stop_after = last_pass(options, needed);
  return plan_network(asked.graph, hardware, asked.options, passes);
}

bool is_about_the_network(std::string_view message) {
  constexpr std::array<std::string_view, 4> kParts{"network '", "operator '", "tensor '", "instructions of core "};
  return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) { return message.starts_with(part); });
}

std::string workload_name(const std::string& path) { return std::filesystem::path(path).stem().string(); }

void add_shape_options(CLI::App& command, ShapeOptions& options) {
  CLI::Option* conv =
      command.add_option("--conv", options.conv, "a convolution: CHANNELS,HEIGHT,WIDTH,FILTERS,KERNEL_H,KERNEL_W")
          ->delimiter(',')
          ->expected(6)
          ->check(at_least(1));
  command.add_option("--m", options.m, "rows of A and of the result")->check(at_least(1))->excludes(conv);
  command.add_option("--n", options.n, "columns of B and of the result")->check(at_least(1))->excludes(conv);
  command.add_option("--k", options.k, "columns of A, rows of B")->check(at_least(1))->excludes(conv);
  add_type_option(command, "--dtype,--type", options.type);
  command.add_option("--stride", options.stride, "of the convolution")->check(at_least(1))->needs(conv);
  command.add_option("--pad", options.pad, "of the convolution, on every side")->check(at_least(0))->needs(conv);
  command.add_option("--dilation", options.dilation, "of the convolution")->check(at_least(1))->needs(conv);
  command.add_option("--groups", options.groups, "of the convolution")->check(at_least(1))->needs(conv);
  command.add_option("--batch", options.batch, "images of the convolution")->check(at_least(1))->needs(conv);
}

OperatorShape shape_of(const ShapeOptions& c, const std::string& where) {
  OperatorShape shape{.type = matmul_type(c.type)};
  if (c.conv.empty()) {
    if (c.m == 0 || c.n == 0 || c.k == 0) throw UserError(where, "needs either all of --m, --n and --k, or --conv");
    shape.dims = {c.batch, c.m, c.n, c.k};
    return shape;
  }
  shape.kind = OperatorShape::Kind::kConv;
  shape.dims = {c.batch, c.conv[1], c.conv[2], c.conv[0], c.conv[3], c.conv[4], c.conv[5], c.stride};
  shape.pads = {c.pad, c.pad, c.pad, c.pad};
  shape.dilations = {c.dilation, c.dilation};
  shape.groups = c.groups;
  check(shape, "--conv");
  return shape;
}

}  // namespace tilewright
