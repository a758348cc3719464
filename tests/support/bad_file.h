// A folder of faulty files, each beside the message that its user gets: NAME.EXTENSION and NAME.expected.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "sim/base/error.h"
#include "tests/support/files.h"

namespace tilewright::testing_support {

// Names of the files of `folder` with one of `extensions` (".tw"), sorted, so that the tests keep their order.
inline std::set<std::string> files_with(const std::filesystem::path& folder,
                                        std::initializer_list<std::string_view> extensions) {
  std::set<std::string> files;
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

inline void expect_message(const std::string& message, const std::filesystem::path& folder, const std::string& file) {
  const std::string expected = read_file((folder / file).replace_extension(".expected"));
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(message + "\n", expected);
}

}  // namespace tilewright::testing_support
