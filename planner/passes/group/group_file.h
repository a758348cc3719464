// What is computed together, as a file that users write.
#pragma once

#include <string>

#include "planner/ir/plan.h"

namespace tilewright {

//   groups:
//     - [scores, softmax, context]
//   apart: [output.matmul]
//
// UserError with file and line for a file that is no such choice.
GroupChoice read_groups(const std::string& path);
// As read_groups() reads it.
std::string to_yaml(const GroupChoice& choice);

}  // namespace tilewright
