// One name, one type: two structs of one name in two headers of one program break the one-definition rule, and the
// linker picks either's functions without a word.
#include <gmock/gmock.h>

#include <map>
#include <regex>
#include <string>
#include <vector>

#include "tests/unit/architecture/source_lines.h"

namespace tilewright {
namespace {

// The type that a line at the left margin defines (neither nested nor only declared), or "".
std::string defined_type(const std::string& line) {
  static const std::regex kDefinition(R"(^(?:struct|class|union|enum class|enum) ([A-Za-z_]\w*)[^;]*\{.*)");
  std::smatch match;
  return std::regex_match(line, match, kDefinition) ? match[1].str() : "";
}

// Type -> headers of the program that define it.
std::map<std::string, std::vector<std::string>> definitions() {
  std::map<std::string, std::vector<std::string>> found;
  for (const SourceLine& line : source_lines()) {
    if (!line.in_header()) continue;
    if (const std::string type = defined_type(line.text); !type.empty()) found[type].push_back(line.file);
  }
  return found;
}

TEST(Architecture, EveryTypeOfAHeaderHasANameOfItsOwn) {
  const auto all = definitions();
  ASSERT_GT(all.size(), 200u);
  for (const auto& [type, headers] : all)
    EXPECT_EQ(headers.size(), 1u) << type << " is defined in " << testing::PrintToString(headers);
}

TEST(Architecture, DefinitionsAreToldFromDeclarations) {
  EXPECT_EQ(defined_type("struct Packet {"), "Packet");
  EXPECT_EQ(defined_type("class Router final : public sc_core::sc_module {"), "Router");
  EXPECT_EQ(defined_type("enum class Mode : int { kA, kB };"), "Mode");
  EXPECT_EQ(defined_type("struct Empty {};"), "Empty");
  EXPECT_EQ(defined_type("struct Packet;"), "");
  EXPECT_EQ(defined_type("  struct Nested {"), "");
}

}  // namespace
}  // namespace tilewright
