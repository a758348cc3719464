// The cores that take part in a communication, and the tree over their ranks.
#pragma once

#include <optional>
#include <vector>

#include "sim/base/owners.h"
#include "sim/hw/config/hardware.h"

namespace tilewright {

// UserError for fewer than `least` cores, one named twice, and one that the chip does not have.
void check_participants(const Hardware& hardware, const std::vector<int>& cores, int least);

// Them as numbers at even distances, in rising order, as far as they are.
std::optional<Owners> evenly_spaced(std::vector<int> cores);

// A binomial tree: a rank's parent is the rank without its lowest bit; -1 for the root, rank 0.
int parent_in_tree(int rank);
// In ascending order.
std::vector<int> children_in_tree(int rank, int ranks);

}  // namespace tilewright
