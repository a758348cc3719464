// Random plans on the networks that no shipped chip of several cores has.
#include <regex>

#include "tests/property/random_plans.h"
#include "tests/support/files.h"

namespace tilewright::test {
namespace {

// quad_smp with other keys in place of its topology.
Hardware quad_with(const std::string& keys) {
  const std::string text = testing_support::read_file(TILEWRIGHT_SOURCE_DIR "/hw_configs/quad_smp.yaml");
  return load_hardware_text(std::regex_replace(text, std::regex("topology: smp"), keys), "quad");
}

TEST(RandomPlans, OnTorusCrossbarAndSharedRouters) {
  const Property wanted = property(31, 48);
  RandomPlans plans(wanted.seed, {quad_with("topology: torus\n  columns: 2\n  rows: 2\n  channels_per_router: 8"),
                                  quad_with("topology: torus\n  columns: 3\n  rows: 3\n  channels_per_router: 2"),
                                  quad_with("topology: crossbar\n  header_bytes: 8\n  request_port: turn"),
                                  quad_with("topology: smp\n  clusters_per_router: 3")});
  plans.run(wanted.cases);
}

}  // namespace
}  // namespace tilewright::test
