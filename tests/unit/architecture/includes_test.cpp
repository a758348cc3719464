// The stairs of cmake/rooms.cmake, enforced on every #include line.
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/architecture/source_lines.h"

namespace tilewright {
namespace {

using Folders = std::set<std::string>;

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(TILEWRIGHT_SOURCE_DIR) + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Room -> the rooms named in its row of cmake/rooms.cmake; what is no folder of ours is left out.
std::map<std::string, Folders> rows_of(const std::string& rooms) {
  static const std::regex kRow(R"(\nroom\((\S+)\s+([^)]*)\))"), kName(R"(\b(?:sim|planner|validation)[\w/]*)");
  std::map<std::string, Folders> rows;
  for (std::sregex_iterator row(rooms.begin(), rooms.end(), kRow), end; row != end; ++row) {
    const std::string used = (*row)[2];
    Folders& folders = rows[(*row)[1]];
    for (std::sregex_iterator name(used.begin(), used.end(), kName); name != end; ++name) folders.insert(name->str());
  }
  return rows;
}

// Room -> every room below it, by any number of steps.
std::map<std::string, Folders> reach_of(const std::map<std::string, Folders>& rows) {
  std::map<std::string, Folders> reach = rows;
  for (bool grew = true; grew;) {
    grew = false;
    for (auto& [room, below] : reach)
      for (const std::string& step : Folders(below))
        for (const std::string& further : reach.count(step) ? reach.at(step) : Folders{})
          grew = below.insert(further).second || grew;
  }
  return reach;
}

const std::map<std::string, Folders>& table() {
  static const std::map<std::string, Folders> kTable = reach_of(rows_of(text_of("cmake/rooms.cmake")));
  return kTable;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

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
  return target.starts_with("sim/") || target.starts_with("planner/") || target.starts_with("validation/") ||
         target.starts_with("cli/") || target.starts_with("python/");
}

bool allowed(const std::string& from, const std::string& target) {
  const std::string here = folder_of(from), there = folder_of(target);
  if (here == there) return true;
  if (there == "python") return false;
  if (here == "python") return true;  // it makes the calls of the command line
  if (here.starts_with("cli")) return there == "cli" || !there.starts_with("cli/");  // cli/db never sees cli/explore
  const auto row = table().find(here);
  return row != table().end() && row->second.count(there) > 0;
}

bool is_systemc(const std::string& target) {
  return target == "systemc" || target == "systemc.h" || target.starts_with("sysc/") || target.starts_with("tlm");
}

bool may_use_systemc(const std::string& from) {
  return from.starts_with("sim/model/") || from == "sim/session.cpp" || from.starts_with("cli/") ||
         from.starts_with("validation/") || from == "python/module.cpp";
}

// A room of which it holds that it reaches itself; empty when the stairs only go down.
std::string circle_in(const std::map<std::string, Folders>& reach) {
  for (const auto& [room, below] : reach)
    if (below.count(room) > 0) return room;
  return "";
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

TEST(Architecture, TheStairsOnlyGoDown) {
  EXPECT_EQ(circle_in(table()), "");
  EXPECT_NE(circle_in(reach_of(rows_of("\nroom(sim/a sim/b)\nroom(sim/b sim/c)\nroom(sim/c sim/a)"))), "");
}

TEST(Architecture, EveryFolderWithSourcesIsARoom) {
  for (const SourceLine& line : source_lines())
    if (const std::string folder = folder_of(line.file); !folder.starts_with("cli") && folder != "python") {
      ASSERT_TRUE(table().count(folder) > 0) << line.file << " lies in no room of cmake/rooms.cmake";
    }
}

TEST(Architecture, PassesDoNotKnowEachOther) {
  for (const auto& [room, below] : table())
    if (room.starts_with("planner/passes/")) {
      for (const std::string& other : below)
        EXPECT_FALSE(other.starts_with("planner/passes")) << room << " reaches " << other;
    }
}

TEST(Architecture, TheTableRejectsWhatItShould) {
  EXPECT_TRUE(allowed("sim/isa/text.cpp", "sim/hw/config/hardware.h"));
  EXPECT_FALSE(allowed("sim/hw/config/hardware.h", "sim/isa/text.h"));
  EXPECT_FALSE(allowed("planner/passes/tile/tile.cpp", "sim/session.h"));
  EXPECT_FALSE(allowed("planner/passes/tile/tile.cpp", "planner/passes/lower/lower.h"));
  EXPECT_FALSE(allowed("planner/estimate/roofline.cpp", "planner/measure/measure.h"));
  EXPECT_FALSE(allowed("planner/report/run/text.cpp", "cli/main.h"));
  EXPECT_TRUE(allowed("python/bind_study.cpp", "cli/explore/pool.h"));
  EXPECT_FALSE(allowed("cli/run.cpp", "python/bindings.h"));
  EXPECT_FALSE(allowed("sim/elsewhere/x.h", "sim/base/units.h"));
  EXPECT_EQ(included("#  include \"sim/base/error.h\"  // why").value(), "sim/base/error.h");
  EXPECT_FALSE(included("// see #include").has_value());
}

}  // namespace
}  // namespace tilewright
