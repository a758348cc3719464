// A report as text for people, and the words for quantities that other pages share.
#pragma once

#include <string>
#include <string_view>

#include "planner/report/run/report.h"

namespace tilewright {

std::string to_text(const Report& report);

std::string labelled_line(std::string_view label, const std::string& value);  // one line of a report: "  label   value"

std::string time_text(Picoseconds time);                        // "1.234 ms"
std::string cycles_text(Picoseconds time, const Clock& clock);  // "1,234,000 cycles at 1000 MHz"
std::string cycles_text(double cycles);                         // "1,234,000", rounded down
std::string count_text(std::int64_t count);                     // "1,234,000"
std::string bytes_text(Bytes bytes);                            // "1.50 MiB"
std::string energy_text(double picojoules);                     // "1.234 mJ"
std::string percent_text(double share);                         // 0.1234 -> "12.3 %"

}  // namespace tilewright
