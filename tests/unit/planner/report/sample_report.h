// A report with every field set, for the printers' tests.
#pragma once

#include "planner/report/run/report.h"

namespace tilewright {

inline Report sample_report() {
  Report report{.hardware = "chip", .workload = "net", .type = "bf16", .cores = 2};
  report.core_clock.period_ps = 1000;
  report.dram_clock.period_ps = 625;
  report.time = 2'000'400;
  report.bound = 1'000'000;
  report.core_time = {{0.5, 0.25, 0.125, 0, 0.0625, 0.0625}, {0.25, 0, 0, 0, 0.25, 0.5}};
  report.mean_time = {0.375, 0.125, 0.0625, 0, 0.15625, 0.28125};
  report.core_causes = {{0.5, 0.25, 0.125, 0, 0, 0, 0, 0.0625, 0, 0, 0, 0, 0.0625},
                        {0.25, 0, 0, 0, 0, 0, 0, 0.25, 0, 0, 0, 0, 0.5}};
  report.mean_causes = {0.375, 0.125, 0.0625, 0, 0, 0, 0, 0.15625, 0, 0, 0, 0, 0.28125};
  report.vector_busy = {0.1, 0.3};
  report.first_change = "dram.channels=x2";
  report.what_if = {{.change = "dram.channels=x2", .account = 0.0625, .same_program = 1'900'380, .trouble = "no plan"}};
  report.macs = 1234567;
  report.utilisation = 0.25;
  report.mapping_efficiency = 0.5;
  report.dram = {.read = 3 << 20, .written = 512, .bytes_per_second = 12.5e9, .peak_bytes_per_second = 25e9};
  report.dram.row_hits = 3;
  report.dram.row_misses = 1;
  report.energy = {{"dram", 3e6}, {"static", 1e6}};
  report.picojoules = 4e6;
  report.bottleneck = "the DRAM.";
  report.operators = {{.name = "mm, \"first\"", .kind = "MatMul", .split = "rows", .begin = 0, .end = 1'500'000},
                      {.name = "fused", .kind = "Relu"}};
  report.operators[0].ran = true;
  report.checked = {{.name = "out", .largest_error = 0.001, .tolerance = 0.01, .ok = true}};
  return report;
}

}  // namespace tilewright
