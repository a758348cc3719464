// Arguments that name what is computed: a workload with the options of its plan, or one operator by its sizes; and the
// way from them to a plan.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "planner/graph/operator_shape.h"
#include "planner/import/import.h"
#include "planner/ir/plan.h"
#include "planner/passes/pass.h"
#include "sim/base/error.h"

namespace tilewright {

struct WorkloadOptions {
  std::string hardware, workload;
  std::string type = "bf16";
  std::int64_t batch = 1;
  std::vector<std::string> dimensions;  // NAME=N
  std::string dump_after;
  bool overlap = true, refine = true, predict = true;
  std::int64_t decompose_above_kib = 0;
  std::string order;  // file
  bool share_memory = false;
  std::string parallel = "free", placement = "auto", layout = "auto", constants = "near", abreast = "auto",
              hand_on = "auto", row_gaps = "auto", early_loads = "auto", group = "auto", store = "auto", strategies;
  int cores = 0;  // 0: all
  std::string fewer_cores = "predicted";
  bool convert_inputs = false;
  std::string inputs;   // folder with values of the inputs
  bool values = false;  // keep all values of the model
  std::string phase = "prefill";
  std::string types;    // file with element types of single operators
  std::string weights;  // float, int8 or int4; empty: as the configuration says
  std::int64_t group_size = 128;
  std::int64_t blocks = 0;  // of a graph's repeated block; 0: all
  LanguageRun language;     // its phase, batch and weights apart
};

void add_workload_options(CLI::App& command, WorkloadOptions& options);

// Adds --dim NAME=N.
void add_dim_option(CLI::App& command, std::vector<std::string>& dimensions);
// What it says of a model's dimensions; UserError for texts of another form.
std::map<std::string, std::int64_t> dimensions_of(const std::vector<std::string>& texts);

// Adds --type or --dtype: an element type a matmul unit multiplies.
CLI::Option* add_type_option(CLI::App& command, const std::string& name, std::string& type);

// Whole numbers from `low` on, as far as a dimension may reach.
CLI::Validator at_least(std::int64_t low);
DataType matmul_type(const std::string& type);

// --order: the execution order, as schedule writes it.
void add_order_option(CLI::App& command, WorkloadOptions& options);

// What the options say about planning (--parallel auto as free); reads the files of order and strategies.
PlanOptions plan_options(const WorkloadOptions& options);

// How the workload is read. UserError for options of language models with any other workload.
ImportOptions import_options(const WorkloadOptions& options);

// Reads both files and plans. Prints the plan after the pass of --dump-after; with --parallel auto measures every mode
// first, prints what each took and plans by the fastest.
//
// `needed` is the last pass whose result the caller uses; empty: all of them. With --order the pass that follows it
// runs in any case, with --dump-after all passes do.
Plan plan_workload(const WorkloadOptions& options, std::string_view needed = {});

// The same for a chip in place of that of the options.
Plan plan_workload_on(const Hardware& hardware, const WorkloadOptions& options, std::string_view needed = {});

// Whether --parallel or --fewer-cores is decided by measuring, in processes of its own.
bool measures_ways(const WorkloadOptions& options);
// A network as the passes are asked to plan it: with the types of --types, and with what is decided by measuring, of
// which `print` gets the tables.
struct AskedPlan {
  Graph graph;
  PlanOptions options;
};
AskedPlan asked_plan(const Graph& graph, const Hardware& hardware, const WorkloadOptions& options,
                     const std::function<void(const std::string&)>& print);
// --dump-after: `print` gets the plan after that pass.
PassOptions dumping_passes(const WorkloadOptions& options, const std::function<void(const std::string&)>& print);

// The graph with the types of --types, where there are any; UserError where the chip does not multiply them.
Graph typed_graph(const Graph& graph, const Hardware& hardware, const WorkloadOptions& options);

// The same for a graph and a chip that are there already; `print` gets what plan_workload() prints.
Plan plan_graph(const Graph& graph, const Hardware& hardware, const WorkloadOptions& options, std::string_view needed,
                const std::function<void(const std::string&)>& print);

// Whether a message begins with a part of the network that is planned, and names no file.
bool is_about_the_network(std::string_view message);

// Runs `work`, which plans what stands in `file`: a UserError about a part of it names the file as well.
template <typename Work>
auto naming_workload(const std::string& file, Work work) {
  try {
    return work();
  } catch (const UserError& error) {
    throw UserError(is_about_the_network(error.what()) ? file : "", error.what());
  }
}

// "traces/bert_large_layer.onnx" -> "bert_large_layer".
std::string workload_name(const std::string& path);

// One operator by its sizes: --m --n --k, or --conv and what belongs to it.
struct ShapeOptions {
  std::string type = "bf16";
  std::int64_t m = 0, n = 0, k = 0;
  std::vector<std::int64_t> conv;  // channels, height, width, filters, kernel height, kernel width
  std::int64_t stride = 1, pad = 0, dilation = 1, groups = 1, batch = 1;

  bool given() const { return !conv.empty() || m > 0 || n > 0 || k > 0; }
};

void add_shape_options(CLI::App& command, ShapeOptions& options);

// UserError naming `where` when sizes are missing or do not fit each other.
OperatorShape shape_of(const ShapeOptions& options, const std::string& where);

}  // namespace tilewright
