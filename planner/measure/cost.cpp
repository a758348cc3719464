#include "planner/measure/cost.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

std::int64_t total(const RunResult& result, std::initializer_list<Event> events) {
  std::int64_t sum = 0;
  for (const OperatorResult& op : result.operators)
    for (const Event event : events) sum += op.events[static_cast<int>(event)];
  return sum;
}

}  // namespace

double value_of(const Cost& cost, Objective objective) {
  const double cycles = static_cast<double>(cost.cycles), energy = static_cast<double>(cost.energy_pj);
  switch (objective) {
    case Objective::kCycles:
      return cycles;
    case Objective::kEnergy:
      return energy;
    case Objective::kEdp:
      return cycles * energy;
  }
  SIM_CHECK(false, "objective {}", static_cast<int>(objective));
}

Cost measure_cost(Session& session, const Plan& plan) {
  const Measurement measured = measure(session, plan);
  const Statistics& statistics = measured.result.statistics;
  const double offered = static_cast<double>(measured.cycles) * session.hardware().cores();
  Cost cost;
  cost.cycles = measured.cycles;
  cost.energy_pj = std::llround(measured.energy_pj);
  cost.macs = total(measured.result, {Event::kMacInt8, Event::kMacFp16, Event::kMacFp32});
  cost.dram_read = total(measured.result, {Event::kDramReadBytes});
  cost.dram_written = total(measured.result, {Event::kDramWriteBytes});
  cost.utilisation = offered == 0 ? 0 : statistics.sum("matmul.ideal_cycles") / offered;
  cost.program_hash = hash_of(plan.program);
  return cost;
}

std::string to_json(const Cost& cost) {
  return nlohmann::ordered_json{{"cycles", cost.cycles},
                                {"energy_pj", cost.energy_pj},
                                {"macs", cost.macs},
                                {"dram_read", cost.dram_read},
                                {"dram_written", cost.dram_written},
                                {"utilisation", cost.utilisation},
                                {"program_hash", cost.program_hash}}
      .dump();
}

Cost cost_from_json(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  SIM_CHECK(json.is_object() && json.contains("program_hash"), "'{}' is no cost", text);
  return {json["cycles"],       json["energy_pj"],   json["macs"],        json["dram_read"],
          json["dram_written"], json["utilisation"], json["program_hash"]};
}

}  // namespace tilewright
