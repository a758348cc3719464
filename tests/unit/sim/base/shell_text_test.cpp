#include "sim/base/shell_text.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>

namespace tilewright {
namespace {

// What a shell makes of a line of words.
std::string through_shell(const std::string& line) {
  FILE* pipe = popen(("printf '%s\\n' " + line).c_str(), "r");
  std::string text;
  std::array<char, 256> chunk;
  for (std::size_t count; (count = fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) text.append(chunk.data(), count);
  pclose(pipe);
  return text;
}

TEST(ShellText, EveryWordArrivesAsItIs) {
  const std::vector<std::string> words{
      "plain/path-1.yaml", "a b", "it's", "$(touch X)", "`id`", "\"q\"", "a;b&c|d>e", "*", "~", "é",
      "line\nbreak",       "\\",  "-",    "{a,b}",      "!x",   "#c",    ""};
  std::string wanted, readable;
  for (const std::string& word : words) {
    wanted += word + "\n";
    readable += shell_word(word) + " ";
  }
  EXPECT_EQ(through_shell(shell_line(words)), wanted);
  EXPECT_EQ(through_shell(readable), wanted);
}

TEST(ShellText, PlainWordsStayReadable) {
  EXPECT_EQ(shell_word("hw_configs/edge_single.yaml"), "hw_configs/edge_single.yaml");
  EXPECT_EQ(shell_word("a$(touch X) b"), "'a$(touch X) b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

}  // namespace
}  // namespace tilewright
