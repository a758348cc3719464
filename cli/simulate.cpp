#include "cli/simulate.h"

#include "planner/report/json.h"
#include "planner/report/make_report.h"
#include "planner/report/operators_csv.h"
#include "planner/report/trace_file.h"
#include "sim/hw/resolve.h"
#include "sim/isa/text.h"

namespace tilewright {

Simulated simulate_plan(const Plan& plan, const std::string& name, const SimulateOptions& options) {
  TraceRecorder recorder;
  Session session(plan.hardware);
  RunOptions run_options;
  if (options.trace) run_options.trace = &recorder;
  const RunResult result = session.run(plan.program, run_options);
  Simulated simulated{
      make_report(
          {.hardware = plan.hardware, .program = plan.program, .result = result, .workload = name, .plan = &plan}),
      {}};
  if (options.trace) simulated.trace = recorder.to_json(plan.program.operators);
  return simulated;
}

Simulated simulate_program(const Program& program, const Hardware& hardware, const std::string& name,
                           const SimulateOptions& options) {
  TraceRecorder recorder;
  Session session(hardware);
  RunOptions run_options;
  if (options.trace) run_options.trace = &recorder;
  const RunResult result = session.run(program, run_options);
  Simulated simulated{make_report({.hardware = hardware, .program = program, .result = result, .workload = name}), {}};
  if (options.trace) simulated.trace = recorder.to_json(program.operators);
  return simulated;
}

ResultFiles result_files(const Simulated& simulated, const Hardware& hardware, const Program* program) {
  ResultFiles files{{"summary.json", to_json(simulated.report)},
                    {"operators.csv", operators_csv(simulated.report)},
                    {"hardware.yaml", to_yaml(hardware)}};
  if (!simulated.trace.empty()) files["trace.json"] = simulated.trace;
  if (program != nullptr) files["program.tw"] = print_program(*program);
  return files;
}

}  // namespace tilewright
