// needs:      decompose
// does:       forms the groups that the options name (ir/group.h) and says how many parts each is cut into
// guarantees: every group is a chain that can be walked by rows, no operator is in two of them
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// UserError for groups from a file that cannot be formed; others that cannot are left out.
void group(Plan& plan);
void verify_group(const Plan& plan);

}  // namespace tilewright
