// Result folders as one HTML page that opens offline: the Pareto front of a study; breakdowns of time and energy,
// roofline, timeline and operators of a run.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

// `folders`: of `run`, `exec` or `explore`, in the order of the page. The figures on the page are those of the folders'
// JSON files, which it contains. UserError for a folder that is neither, or whose files this program did not write.
std::string html_report(const std::vector<std::string>& folders);

}  // namespace tilewright
