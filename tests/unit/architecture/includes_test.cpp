// The table "Who may include whom" of docs/architecture.md, enforced on every #include line.
#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/architecture/source_lines.h"

namespace tilewright {
namespace {

using Folders = std::set<std::string>;

// Folder -> folders it may include, besides itself and std.
const std::map<std::string, Folders>& table() {
  static const Folders kBase{"sim/base"}, kHw{"sim/hw", "sim/base"}, kIsa{"sim/isa", "sim/hw", "sim/base"};
  static const Folders kPasses{"planner/graph", "sim/isa", "sim/hw", "sim/base"};
  static const Folders kCost{"planner/passes", "planner/graph", "sim/session", "sim/isa", "sim/hw", "sim/base"};
  static const Folders kSearch{"planner/cost", "planner/passes", "planner/graph", "sim/session",
                               "sim/isa",      "sim/hw",         "sim/base"};
  static const Folders kReport{"planner/search", "planner/cost", "planner/passes", "planner/graph",
                               "sim/session",    "sim/isa",      "sim/hw",         "sim/base"};
  static const Folders kCli{"planner/report", "planner/search", "planner/cost", "planner/passes", "planner/graph",
                            "sim/session",    "sim/model",      "sim/isa",      "sim/hw",         "sim/base"};
  static const std::map<std::string, Folders> kTable{
      {"sim/base", {}},
      {"sim/hw", kBase},
      {"sim/isa", kHw},
      {"sim/model", kIsa},
      {"sim/session", kIsa},
      {"sim/session.cpp", {"sim/model", "sim/isa", "sim/hw", "sim/base"}},
      {"planner/graph", kBase},
      {"planner/passes", kPasses},
      {"planner/cost", kCost},
      {"planner/search", kSearch},
      {"planner/report", kReport},
      {"cli", kCli}};
  return kTable;
}

// "sim/hw/dram_spec.h" -> "sim/hw"; "sim/session.h" -> "sim/session"; "cli/validate/x.h" -> "cli".
std::string folder_of(const std::string& path) {
  if (path == "sim/session.cpp") return path;
  if (path.starts_with("sim/session.") || path.starts_with("sim/session_")) return "sim/session";
  if (path.starts_with("cli/")) return "cli";
  const std::size_t second = path.find('/', path.find('/') + 1);
  return path.substr(0, second);
}

struct Include {
  SourceLine line;
  std::string target;
  std::string place() const { return line.file + ":" + std::to_string(line.number); }
};

// The file named in `#include "..."` or `#include <...>`, or nothing.
std::optional<std::string> included(const std::string& line) {
  const std::size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string::npos || line[hash] != '#') return std::nullopt;
  const std::size_t word = line.find("include", hash);
  const std::size_t open = line.find_first_of("\"<", hash), close = line.find_first_of("\">", open + 1);
  if (word == std::string::npos || open == std::string::npos || close == std::string::npos) return std::nullopt;
  return line.substr(open + 1, close - open - 1);
}

std::vector<Include> all_includes() {
  std::vector<Include> all;
  for (const SourceLine& line : source_lines())
    if (const auto target = included(line.text)) all.push_back({line, *target});
  return all;
}

bool is_ours(const std::string& target) {
  return target.starts_with("sim/") || target.starts_with("planner/") || target.starts_with("cli/");
}

bool allowed(const std::string& from, const std::string& target) {
  const auto row = table().find(folder_of(from));
  const std::string to = folder_of(target);
  if (row == table().end()) return false;
  const bool own_header = row->first == "sim/session.cpp" && to == "sim/session";
  return own_header || to == row->first || row->second.count(to) > 0;
}

bool is_systemc(const std::string& target) {
  return target == "systemc" || target == "systemc.h" || target.starts_with("sysc/") || target.starts_with("tlm");
}

bool may_use_systemc(const std::string& from) {
  return from.starts_with("sim/model/") || from == "sim/session.cpp" || from.starts_with("cli/");
}

TEST(Architecture, EveryIncludePointsDownwards) {
  const std::vector<Include> includes = all_includes();
  ASSERT_GT(includes.size(), 50u);
  for (const Include& include : includes)
    if (is_ours(include.target)) {
      EXPECT_TRUE(allowed(include.line.file, include.target))
          << include.place() << ": " << folder_of(include.line.file) << " may not include " << include.target;
    }
}

TEST(Architecture, OnlyTheModelKnowsSystemC) {
  for (const Include& include : all_includes())
    if (is_systemc(include.target)) {
      EXPECT_TRUE(may_use_systemc(include.line.file)) << include.place() << ": " << include.line.text;
    }
}

TEST(Architecture, IncludesStartAtTheRoot) {
  for (const Include& include : all_includes())
    if (include.line.text.find('"') != std::string::npos) {
      EXPECT_TRUE(is_ours(include.target)) << include.place() << ": " << include.line.text;
    }
}

TEST(Architecture, TheTableRejectsWhatItShould) {
  EXPECT_TRUE(allowed("sim/isa/text.cpp", "sim/hw/hardware.h"));
  EXPECT_FALSE(allowed("sim/hw/hardware.h", "sim/isa/text.h"));
  EXPECT_FALSE(allowed("sim/session.h", "sim/model/network/router.h"));
  EXPECT_TRUE(allowed("sim/session.cpp", "sim/model/network/router.h"));
  EXPECT_FALSE(allowed("planner/passes/tile/tile.cpp", "sim/session.h"));
  EXPECT_FALSE(allowed("planner/report/text.cpp", "cli/main.h"));
  EXPECT_FALSE(allowed("sim/elsewhere/x.h", "sim/base/units.h"));
  EXPECT_EQ(included("#  include \"sim/base/error.h\"  // why").value(), "sim/base/error.h");
  EXPECT_FALSE(included("// see #include").has_value());
}

}  // namespace
}  // namespace tilewright
