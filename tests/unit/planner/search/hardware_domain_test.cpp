// Every number of a hardware file has a domain, and the file's reader holds it: one step beyond either end is refused
// by key, the ends are not.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "planner/search/study/study.h"
#include "sim/base/error.h"
#include "sim/base/text_file.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

// What loading says of the chip with one key changed; empty when nothing.
std::string said_of(const std::string& text, const std::string& key, const std::string& value) {
  try {
    load_hardware_text(apply_settings(text, {{key, value}}), "chip");
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

// "1 to 4096" -> 1, 4096.
std::pair<double, double> ends_of(const std::string& domain) {
  const std::size_t at = domain.find(" to ");
  return {std::stod(domain.substr(0, at)), std::stod(domain.substr(at + 4))};
}

TEST(HardwareDomains, AreHeldByTheReader) {
  const std::string chip = read_text_file(TILEWRIGHT_SOURCE_DIR "/hw_configs/quad_numa_cache.yaml");
  int numbers = 0;
  for (const std::string& key : hardware_keys()) {
    const std::string domain = hardware_domain(key);
    if (domain.empty()) continue;
    ++numbers;
    const auto [least, most] = ends_of(domain);
    for (const double beyond : {least - 1, most + 1, -9e18, 9e18}) {
      const std::string value = fmt::format("{:.0f}", beyond);
      EXPECT_THAT(said_of(chip, key, value),
                  testing::HasSubstr(fmt::format("{}: got '{}', expected {}", key, value, domain)));
    }
    for (const double end : {least, most})  // other keys may not go with it
      EXPECT_THAT(said_of(chip, key, fmt::format("{:.0f}", end)),
                  testing::Not(testing::HasSubstr("expected " + domain + "\n")));
    for (const char* none : {".nan", ".inf", "-.inf", "1e400", "9223372036854775808", "one"})
      EXPECT_THAT(said_of(chip, key, none), testing::HasSubstr(key + ": got '")) << none;
  }
  EXPECT_GT(numbers, 80);
}

}  // namespace
}  // namespace tilewright
