// Which simulator measured something: two that count differently must not be mixed in one database or study.
#pragma once

#include <string>

namespace tilewright {

// The project's version and a hash of what the model computes, "0.1.0-4a0c...": times and events of fixed programs,
// networks and operators on fixed chips (model_costs.txt, measured again by the test model_version). While
// constants are changed (planner/constants/constant_table.h), also a hash of these: "0.1.0-4a0c...-97d1...".
std::string simulator_version();

}  // namespace tilewright
