// tilewright tune HARDWARE (--m --n --k | --conv ... | WORKLOAD): searches the tilings of one operator, or of every
// contraction of a network, and sets what it measured beside what the closed formulas decide.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/shipped.h"
#include "cli/workload_options.h"
#include "planner/constants/constants.h"
#include "planner/import/import.h"
#include "planner/measure/objective_check.h"
#include "planner/passes/pass.h"
#include "planner/search/tiling/predicted_tiling.h"
#include "planner/search/tiling/tiling_network.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

struct TuneCommand : ShapeOptions {
  std::string hardware, workload, objective = "cycles";
  std::vector<std::string> dimensions;  // of the workload, NAME=N
  std::int64_t budget = constants().tiling_budget;
  int jobs = default_jobs();
  bool exhaustive = false, no_network = false;

  SearchOptions search() const {
    return {.objective = parse_objective(objective, "--objective"), .exhaustive = exhaustive, .budget = budget};
  }
};

using Seconds = std::chrono::duration<double>;

template <typename Function>
double seconds_of(Function&& function) {
  const auto begin = std::chrono::steady_clock::now();
  function();
  return Seconds(std::chrono::steady_clock::now() - begin).count();
}

struct Tuned {
  SearchResult result;
  double planned_seconds = 0, closed_seconds = 0, search_seconds = 0;  // host time to decide
};

Tuned tune_operator(TilingMeasurer& measurer, const Hardware& hardware, const TilingOperator& op,
                    const SearchOptions& options) {
  Tuned tuned;
  TriedPoint planned;
  tuned.planned_seconds = seconds_of([&] { planned = predicted_tiling(hardware, op); });
  tuned.closed_seconds = seconds_of([&] { tiled_plan(op, hardware, {.refine = false}); });
  Progress progress("tilings", "measurements", options.budget);
  const double searching = seconds_of([&] {
    tuned.result = search_from(planned, measurer.of(op), hardware, op, options,
                               [&](std::int64_t done, std::int64_t most) { progress.update(done, most); });
  });
  tuned.search_seconds = tuned.planned_seconds + searching;  // it begins with the planner's choice
  return tuned;
}

// By how much `cost` is above the best.
double loss_of(const Cost& cost, const SearchResult& r, Objective objective) {
  return value_of(cost, objective) / value_of(r.best.cost, objective) - 1;
}

void print_outcome(const char* label, const TilingOutcome& outcome, double seconds) {
  fmt::print("{:<12} {:>12} {:>8.2f} % {:>12} {:>14.1f} {:>13} {:>13} {:>12.6f}\n", label, outcome.cost.cycles,
             100 * outcome.cost.utilisation, outcome.accumulator, static_cast<double>(outcome.cost.energy_pj) * 1e-6,
             outcome.cost.dram_read, outcome.cost.dram_written, seconds);
}

void print_counts(const SearchResult& r) {
  fmt::print("\nSpace: {} points. Removed by", r.space);
  for (int i = 0; i < kTilingFilterCount; ++i)
    fmt::print("{} {} {}", i == 0 ? "" : ",", name_of(static_cast<TilingFilter>(i)), r.removed[i]);
  fmt::print(".\nBounds computed {}, measured {}, refused by the planner {}, left unmeasured {}: {}.\n", r.bounds,
             r.measured, r.refused, r.left,
             r.proven() ? "the best is the optimum of this space" : "the best found, not proven");
}

void print_operator(const TilingOperator& op, const Hardware& hardware, const Tuned& tuned, Objective objective) {
  const SearchResult& r = tuned.result;
  fmt::print("{} on {}, objective {}\n\n", op.key, hardware.name, name_of(objective));
  fmt::print("{:<12} {:>12} {:>10} {:>12} {:>14} {:>13} {:>13} {:>12}\n", "", "cycles", "util.", "acc. bytes",
             "energy uJ", "DRAM read", "DRAM written", "decided in s");
  print_outcome("closed form", r.closed_form, tuned.closed_seconds);
  print_outcome("planner", r.planned, tuned.planned_seconds);
  print_outcome("best", r.best, tuned.search_seconds);
  fmt::print("\nMore {} than the best: the closed form {:.2f} %, the planner, which refines it, {:.2f} %.\nBest: {}\n",
             name_of(objective), 100 * loss_of(r.closed_form.cost, r, objective),
             100 * loss_of(r.planned.cost, r, objective), to_string(r.best.point));
  print_counts(r);
}

class NetworkTable {
 public:
  explicit NetworkTable(Objective objective) : objective_(objective) {
    fmt::print(
        "{:>4} | {:>10} {:>7} {:>8} {:>9} {:>8} | {:>10} {:>7} {:>8} {:>9} {:>8} | {:>10} {:>7} {:>8} {:>9} | {:>8} "
        "{:>10} {:>8} | {}\n",
        "uses", "formulas", "util.", "acc. B", "s", "loss", "planner", "util.", "acc. B", "s", "loss", "best", "util.",
        "acc. B", "s", fmt::format("first {}", SearchOptions{}.early), "space", "measured", "operator; best point");
  }
  void add(const TilingTask& task, const Tuned& tuned) {
    const SearchResult& r = tuned.result;
    const double closed = loss_of(r.closed_form.cost, r, objective_), planned = loss_of(r.planned.cost, r, objective_),
                 early = loss_of(r.early, r, objective_);
    fmt::print("{:>4} | {} {:>6.2f} % | {} {:>6.2f} % | {} | {:>6.2f} % {:>10} {:>7}{} | {}; {}\n", task.uses.size(),
               outcome_text(r.closed_form, tuned.closed_seconds), 100 * closed,
               outcome_text(r.planned, tuned.planned_seconds), 100 * planned,
               outcome_text(r.best, tuned.search_seconds), 100 * early, r.space, r.measured, r.proven() ? '*' : ' ',
               task.op.key, to_string(r.best.point));
    std::fflush(stdout);
    closed_.add(closed), planned_.add(planned), early_.add(early);
    ++rows_, proven_ += r.proven();
  }
  void finish() const {
    if (rows_ == 0) return;
    fmt::print(
        "\n{} operators, {} with the optimum of their space proven (*).\nMore {} than the best, geometric mean and "
        "worst: {}, {}, {}.\n",
        rows_, proven_, name_of(objective_), closed_.text("closed form", rows_), planned_.text("planner", rows_),
        early_.text(fmt::format("planner with {} measurements", SearchOptions{}.early), rows_));
  }

 private:
  struct Losses {
    double logs = 0, worst = 0;
    void add(double loss) { logs += std::log(1 + loss), worst = std::max(worst, loss); }
    std::string text(const std::string& whose, int rows) const {
      return fmt::format("{} {:.2f} % and {:.2f} %", whose, 100 * (std::exp(logs / rows) - 1), 100 * worst);
    }
  };

  static std::string outcome_text(const TilingOutcome& outcome, double seconds) {
    return fmt::format("{:>10} {:>5.1f} % {:>8} {:>9.6f}", outcome.cost.cycles, 100 * outcome.cost.utilisation,
                       outcome.accumulator, seconds);
  }

  Objective objective_;
  Losses closed_, planned_, early_;
  int rows_ = 0, proven_ = 0;
};

void tune_one(const TuneCommand& command, const Hardware& hardware) {
  const TilingOperator op = tiling_operator(shape_of(command, "tune"));
  TilingMeasurer measurer(hardware, command.jobs);
  const SearchOptions options = command.search();
  print_operator(op, hardware, tune_operator(measurer, hardware, op, options), options.objective);
}

// The whole network, planned without and with the choices, on one chip of this process.
void compare_networks(Plan plan, const std::vector<TilingTask>& tasks, const std::vector<TriedPoint>& points) {
  run_passes(plan, kNeededForTasks);
  Session session(plan.hardware);
  const Cost before = measure_cost(session, plan);
  const Cost after = measure_cost(session, make_plan(plan.graph, plan.hardware, with_points(plan, tasks, points)));
  fmt::print(
      "\nWhole network: {} cycles, {:.1f} uJ as planned; {} cycles, {:.1f} uJ with the choices above "
      "({:+.2f} % cycles).\n",
      before.cycles, static_cast<double>(before.energy_pj) * 1e-6, after.cycles,
      static_cast<double>(after.energy_pj) * 1e-6,
      100 * (static_cast<double>(after.cycles) / static_cast<double>(before.cycles) - 1));
}

void tune_network(const TuneCommand& command, const Hardware& hardware) {
  const SearchOptions options = command.search();
  const DataType type = matmul_type(command.type);
  const Graph graph = import_workload(
      command.workload, {.type = type, .batch = command.batch, .dimensions = dimensions_of(command.dimensions)});
  const Plan plan = naming_workload(
      command.workload, [&] { return make_plan(graph, hardware, {.type = type}, {.stop_after = kNeededForTasks}); });
  const std::vector<TilingTask> tasks = tiling_tasks(plan);
  std::vector<TriedPoint> points;
  {
    TilingMeasurer measurer(hardware, command.jobs, operators_of(tasks));
    fmt::print("{} on {}, objective {}, {}\n\n", workload_name(command.workload), hardware.name,
               name_of(options.objective),
               options.exhaustive ? "exhaustive" : fmt::format("{} measurements per operator", options.budget));
    NetworkTable table(options.objective);
    for (const TilingTask& task : tasks) {
      const Tuned tuned = tune_operator(measurer, hardware, task.op, options);
      points.push_back(tuned.result.best.point);
      table.add(task, tuned);
    }
    table.finish();
  }
  if (!command.no_network) compare_networks(plan, tasks, points);
}

void run(const TuneCommand& command) {
  command.search();  // names an unknown objective before anything is read
  if (command.given() && !command.workload.empty())
    throw UserError("tune", "takes the sizes of one operator or a workload, not both");
  const Hardware hardware = load_hardware(command.hardware);
  check_objective(hardware, command.search().objective);
  if (command.workload.empty())
    tune_one(command, hardware);
  else
    tune_network(command, hardware);
}

}  // namespace

void add_tune_command(CLI::App& app) {
  auto c = std::make_shared<TuneCommand>();
  CLI::App* sub = app.add_subcommand("tune", "Search the tilings of an operator, or of every contraction of a network");
  add_file_argument(*sub, Shipped::kChip, c->hardware)->required();
  add_file_argument(*sub, Shipped::kWorkload, c->workload);
  add_shape_options(*sub, *c);
  add_dim_option(*sub, c->dimensions);
  sub->add_option("--objective", c->objective, "what to minimise: cycles, energy or edp")->type_name("NAME");
  CLI::Option* budget =
      sub->add_option("--budget", c->budget, "measurements per operator")->check(at_least(1))->capture_default_str();
  sub->add_flag("--exhaustive", c->exhaustive, "measure whatever may be better than the best: a proof")
      ->excludes(budget);
  sub->add_option("--jobs", c->jobs, "worker processes; default: one per processor")
      ->check(CLI::Range(1, 1024))
      ->default_str("");
  sub->add_flag("--no-network", c->no_network, "do not simulate the whole network at the end");
  sub->callback([c] { run(*c); });
}

}  // namespace tilewright
