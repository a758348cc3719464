// A folder of faulty files that begin with the message that their user gets, a line "# expected: ..." for each of its
// lines. Short ones are cases of its cases.txt (case_table.h). For those that cannot hold a comment the messages stand
// in its expected.txt.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "sim/base/error.h"
#include "tests/support/case_table.h"
#include "tests/support/files.h"

namespace tilewright::testing_support {

inline std::map<std::string, std::string> short_files(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / "cases.txt") ? case_table(folder / "cases.txt")
                                                       : std::map<std::string, std::string>{};
}

// The text of one of them.
inline std::string text_of(const std::filesystem::path& folder, const std::string& file) {
  const auto cases = short_files(folder);
  const auto found = cases.find(file);
  return found == cases.end() ? read_file(folder / file) : found->second;
}

// Names of the files of `folder` with one of `extensions` (".tw") and of its short ones, sorted, so that the tests keep
// their order.
inline std::set<std::string> files_with(const std::filesystem::path& folder,
                                        std::initializer_list<std::string_view> extensions) {
  std::set<std::string> files;
  for (const auto& [name, text] : short_files(folder)) files.insert(name);
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    for (const std::string_view extension : extensions)
      if (entry.path().extension() == extension) files.insert(entry.path().filename().string());
  return files;
}

// The test of file NAME.EXTENSION is called NAME.
inline std::string case_name(const testing::TestParamInfo<std::string>& info) {
  return info.param.substr(0, info.param.find('.'));
}

// The message of the UserError that `use` ends with; empty when it does not.
template <typename Use>
std::string message_of(const Use& use) {
  try {
    use();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

inline std::string expected_message(const std::filesystem::path& folder, const std::string& file) {
  static constexpr std::string_view kMark = "# expected: ";
  std::string expected;
  std::istringstream text(text_of(folder, file));
  for (std::string line; std::getline(text, line) && line.starts_with(kMark);)
    expected += line.substr(kMark.size()) + "\n";
  return expected.empty() ? case_table(folder / "expected.txt")[file] : expected;
}

inline void expect_message(const std::string& message, const std::filesystem::path& folder, const std::string& file) {
  const std::string expected = expected_message(folder, file);
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(message + "\n", expected);
}

}  // namespace tilewright::testing_support
