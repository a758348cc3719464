#include "planner/report/run/operators_csv.h"

#include <fmt/format.h>

#include "sim/base/csv.h"

namespace tilewright {
namespace {

std::string row(const OperatorReport& op, const Clock& clock) {
  const std::string bound = op.bound ? fmt::format("{}", clock.ceil(*op.bound)) : "";
  return fmt::format("{},{},{},{},{},{},{},{:.3f},{},{},{},{},{},{},{:.3f},{},{}\n", csv_field(op.name),
                     csv_field(op.kind), op.begin, op.end, clock.ceil(op.end - op.begin), bound, op.macs,
                     100 * op.utilisation, op.dram_read, op.dram_written, op.traffic.local, op.traffic.remote,
                     op.exchanged, op.cores, op.picojoules, csv_field(op.split), csv_field(op.tiling));
}

}  // namespace

std::string operators_csv(const Report& report) {
  std::string csv =
      "operator,kind,begin_ps,end_ps,cycles,bound_cycles,multiply_adds,utilisation_percent,dram_read_bytes,"
      "dram_written_bytes,local_bytes,remote_bytes,exchanged_bytes,cores,dynamic_picojoules,split,tiling\n";
  for (const OperatorReport& op : report.operators)
    if (op.ran) csv += row(op, report.core_clock);
  return csv;
}

}  // namespace tilewright
