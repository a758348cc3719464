// Good inputs, mutated: every reader takes or refuses each of them. TILEWRIGHT_CASES mutations of each target from
// TILEWRIGHT_SEED; scripts/fuzz goes on with libFuzzer, which sees where the readers branch.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <typeinfo>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/random.h"
#include "sim/base/text_file.h"
#include "tests/fuzz/targets.h"
#include "tests/support/property.h"

namespace tilewright::fuzz {

// So that lists of tests name it.
static void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

namespace {

namespace fs = std::filesystem;

void add_files(const fs::path& folder, std::string_view extension, std::vector<std::string>& inputs) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
    if (entry.is_regular_file() && (extension.empty() || entry.path().extension() == extension))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) inputs.push_back(read_text_file(file.string()));
}

std::vector<std::string> good_inputs(const Target& target) {
  const fs::path source = TILEWRIGHT_SOURCE_DIR;
  std::vector<std::string> inputs;
  add_files(source / "tests/fuzz/corpus" / target.name, "", inputs);
  if (!target.folder.empty()) add_files(source / target.folder, target.extension, inputs);
  std::erase_if(inputs, [](const std::string& input) { return input.size() > 100'000; });  // many small cases, not few
  return inputs;
}

// Numbers and words at which readers go wrong.
const std::vector<std::string>& troubles() {
  static const std::vector<std::string> kTroubles{"0",
                                                  "-1",
                                                  "1",
                                                  "2147483647",
                                                  "2147483648",
                                                  "-2147483648",
                                                  "4294967296",
                                                  "9223372036854775807",
                                                  "9223372036854775808",
                                                  "-9223372036854775808",
                                                  "1e308",
                                                  "1e-308",
                                                  "nan",
                                                  ".inf",
                                                  "-.inf",
                                                  "true",
                                                  "~",
                                                  "null",
                                                  "\"",
                                                  "'",
                                                  "{",
                                                  "}",
                                                  "[",
                                                  "]",
                                                  ":",
                                                  ",",
                                                  "#",
                                                  "\n",
                                                  "\r\n",
                                                  "\t",
                                                  "\\",
                                                  "&a",
                                                  "*a",
                                                  "<<",
                                                  "!!",
                                                  "../",
                                                  "</script>",
                                                  "$(x)",
                                                  std::string(1, '\0'),
                                                  "\xff",
                                                  "\xf0\x9f\x98\x80",
                                                  std::string(300, '['),
                                                  std::string(5000, 'x')};
  return kTroubles;
}

class Mutator {
 public:
  Mutator(std::uint64_t seed, const std::vector<std::string>& inputs) : random_(seed), inputs_(inputs) {}

  std::string next() {
    std::string text = inputs_[random_.below(std::ssize(inputs_))];
    for (std::int64_t i = random_.below(4); i >= 0; --i) change(text);
    return text;
  }

 private:
  std::size_t place(const std::string& text) { return static_cast<std::size_t>(random_.below(std::ssize(text) + 1)); }
  std::size_t length(const std::string& text, std::size_t from) {
    return std::min<std::size_t>(text.size() - from,
                                 static_cast<std::size_t>(1 + random_.below(1 + random_.below(64))));
  }

  void change(std::string& text) {
    const std::size_t at = place(text), count = length(text, at);
    switch (random_.below(8)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random_.below(8)));
        break;
      case 1:
        text.erase(at, count);
        break;
      case 2:
        text.insert(at, troubles()[random_.below(std::ssize(troubles()))]);
        break;
      case 3:
        text.insert(place(text), text.substr(at, count));
        break;
      case 4:
        replace_number(text, at);
        break;
      case 5:
        text.resize(at);
        break;
      case 6:
        if (at < text.size()) text[at] = static_cast<char>(random_.below(256));
        break;
      default:
        splice(text, at);
    }
  }
  // The next number from `at` on becomes a trouble.
  void replace_number(std::string& text, std::size_t at) {
    const std::size_t begin = text.find_first_of("0123456789", at);
    if (begin == std::string::npos) return;
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
    text.replace(begin, end - begin, troubles()[random_.below(20)]);
  }
  // Goes on as another good input does.
  void splice(std::string& text, std::size_t at) {
    const std::string& other = inputs_[random_.below(std::ssize(inputs_))];
    text = text.substr(0, at) + other.substr(place(other));
  }

  SplitMix64 random_;
  const std::vector<std::string>& inputs_;
};

// Empty when the reader took or refused it.
std::string finding(const Target& target, const std::string& input) {
  try {
    target.read(input);
  } catch (const UserError&) {
  } catch (const std::exception& error) {
    return std::string(typeid(error).name()) + ": " + error.what();
  }
  return {};
}

class Fuzz : public testing::TestWithParam<Target> {};
INSTANTIATE_TEST_SUITE_P(All, Fuzz, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Fuzz, GoodInputsAreRead) {
  const std::vector<std::string> inputs = good_inputs(GetParam());
  ASSERT_FALSE(inputs.empty());
  int refused = 0;
  for (const std::string& input : inputs) try {
      GetParam().read(input);
    } catch (const UserError&) {
      ++refused;  // files of the same folder and ending may be of another kind
    }
  EXPECT_LT(refused, std::ssize(inputs));
}

TEST_P(Fuzz, MutatedInputsAreReadOrRefused) {
  const test::Property wanted = test::property(1, 1500);
  const std::vector<std::string> inputs = good_inputs(GetParam());
  ASSERT_FALSE(inputs.empty());
  Mutator mutator(wanted.seed, inputs);
  int findings = 0;
  for (int i = 0; i < wanted.cases; ++i) {
    const std::string input = mutator.next(), found = finding(GetParam(), input);
    if (found.empty()) continue;
    if (++findings > 5) break;
    const std::string file = testing::TempDir() + "fuzz_" + std::string(GetParam().name) + "_" + std::to_string(i);
    write_text_file(file, input);
    ADD_FAILURE() << found << "\nthe input is in " << file;
  }
}

}  // namespace
}  // namespace tilewright::fuzz
