#include "planner/emit/communication/participants.h"

#include <algorithm>
#include <set>

#include "sim/base/error.h"

namespace tilewright {

void check_participants(const Hardware& hardware, const std::vector<int>& cores, int least) {
  if (static_cast<int>(cores.size()) < least)
    throw UserError("cores", fmt::format("got {}, expected {} or more", cores.size(), least));
  if (std::set<int>(cores.begin(), cores.end()).size() != cores.size())
    throw UserError("cores", "a core is named twice");
  for (const int core : cores)
    if (core < 0 || core >= hardware.cores())
      throw UserError("cores", fmt::format("got {}, the chip has cores 0 to {}", core, hardware.cores() - 1));
}

// As few and as long rows as they form.
std::optional<Owners> evenly_spaced(std::vector<int> cores) {
  std::ranges::sort(cores);
  const int all = static_cast<int>(cores.size());
  for (int row = all; row >= 1; --row) {
    if (all % row != 0) continue;
    const auto step = [&](int to) {
      return static_cast<std::uint16_t>(cores[static_cast<std::size_t>(to)] - cores[0]);
    };
    Owners owners;
    owners.count = {static_cast<std::uint16_t>(all / row), static_cast<std::uint16_t>(row)};
    if (row < all) owners.step[0] = step(row);
    if (row > 1) owners.step[1] = step(1);
    std::vector<int> numbers;
    owners.for_each(cores[0], [&](int number) { numbers.push_back(number); });
    if (numbers == cores) return owners;
  }
  return std::nullopt;
}

int parent_in_tree(int rank) { return rank == 0 ? -1 : rank & (rank - 1); }

std::vector<int> children_in_tree(int rank, int ranks) {
  std::vector<int> children;
  for (int bit = 1; rank + bit < ranks && (rank & bit) == 0; bit *= 2) children.push_back(rank + bit);
  return children;
}

}  // namespace tilewright
