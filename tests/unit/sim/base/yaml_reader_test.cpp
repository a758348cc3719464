#include "sim/base/yaml_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewright {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

enum class Fruit { kApple, kPear };
const Choices<Fruit> kFruits{{"apple", Fruit::kApple}, {"pear", Fruit::kPear}};

std::string problems_of(YamlDocument& document) {
  try {
    document.check();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

std::string load_error(const std::string& text) {
  try {
    YamlDocument::from_text(text, "f.yaml");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(YamlReader, ReadsEveryType) {
  auto document = YamlDocument::from_text(
      "i: -3\nd: 2.5\nb: true\ns: word\ne: pear\nl: [1, 2]\nt: [a, b]\nm: {x: 1}\nms: [{y: 1}, {y: 2}]\n", "f.yaml");
  YamlMap root = document->root();
  EXPECT_EQ(root.integer("i"), -3);
  EXPECT_EQ(root.number("d"), 2.5);
  EXPECT_EQ(root.boolean("b"), true);
  EXPECT_EQ(root.text("s"), "word");
  EXPECT_EQ(root.choice("e", kFruits), Fruit::kPear);
  EXPECT_THAT(*root.integers("l"), ElementsAre(1, 2));
  EXPECT_THAT(*root.texts("t"), ElementsAre("a", "b"));
  EXPECT_EQ(root.map("m")->integer("x"), 1);
  EXPECT_EQ(root.maps("ms")[1].integer("y"), 2);
  EXPECT_EQ(root.integer("absent"), std::nullopt);
  EXPECT_TRUE(root.maps("none").empty());
  root.reject_unknown_keys();
  EXPECT_EQ(problems_of(*document), "");
}

TEST(YamlReader, CollectsAllProblemsInTheOrderOfTheirLines) {
  auto document = YamlDocument::from_text("fruit: plum\ninner:\n  count: many\n  flag: maybe\n", "f.yaml");
  YamlMap root = document->root();
  YamlMap inner = *root.map("inner");
  EXPECT_EQ(inner.boolean("flag"), std::nullopt);
  EXPECT_EQ(inner.integer("count"), std::nullopt);
  EXPECT_EQ(root.choice("fruit", kFruits), std::nullopt);
  EXPECT_EQ(problems_of(*document),
            "f.yaml:1: fruit: got 'plum', expected apple|pear\n"
            "f.yaml:3: inner.count: got 'many', expected a whole number\n"
            "f.yaml:4: inner.flag: got 'maybe', expected true|false");
}

TEST(YamlReader, UnknownKeyNamesTheNearestOne) {
  auto document = YamlDocument::from_text("colums: 3\nzzzzzz: 1\n", "f.yaml");
  YamlMap root = document->root();
  root.integer("columns");
  root.integer("rows");
  root.reject_unknown_keys();
  EXPECT_EQ(problems_of(*document),
            "f.yaml:1: colums: unknown key, did you mean 'columns'?\nf.yaml:2: zzzzzz: unknown key");
}

TEST(YamlReader, AKeyWrittenTwiceIsAProblem) {
  auto document = YamlDocument::from_text("a: 1\na: 2\n", "f.yaml");
  YamlMap root = document->root();
  root.integer("a");
  root.reject_unknown_keys();
  EXPECT_EQ(problems_of(*document), "f.yaml:2: a: this key is written twice");
}

TEST(YamlReader, WrongKindsOfValueAreProblems) {
  for (const char* value : {"1.5", "\"8\"", "[1]", "{a: 1}", "", "0x", "1e3", "99999999999999999999"}) {
    auto document = YamlDocument::from_text(std::string("k: ") + value + "\n", "f.yaml");
    EXPECT_EQ(document->root().integer("k"), std::nullopt) << value;
    EXPECT_THAT(problems_of(*document), HasSubstr("expected a whole number")) << value;
  }
  for (const char* value : {".nan", ".inf", "ten"}) {
    auto document = YamlDocument::from_text(std::string("k: ") + value + "\n", "f.yaml");
    EXPECT_EQ(document->root().number("k"), std::nullopt) << value;
  }
}

TEST(YamlReader, RequiredKeysAndListElementsCarryTheirPath) {
  auto document = YamlDocument::from_text("ops:\n  - {name: a}\n  - {nam: b}\n  - 7\n", "f.yaml");
  for (YamlMap& op : document->root().maps("ops")) {
    op.require_text("name");
    op.reject_unknown_keys();
  }
  EXPECT_EQ(problems_of(*document),
            "f.yaml:3: ops[1].name: missing, expected text\n"
            "f.yaml:3: ops[1].nam: unknown key, did you mean 'name'?\n"
            "f.yaml:4: ops[2]: got '7', expected a mapping");
  EXPECT_THAT(document->known_keys(), ElementsAre("ops", "ops.name"));
}

TEST(YamlReader, UnreadableAndBrokenFiles) {
  EXPECT_THROW(YamlDocument::from_file("/nonexistent/f.yaml"), UserError);
  EXPECT_THAT(load_error("a: [1, 2\nb: 3\n"), HasSubstr("f.yaml:2: not valid YAML"));
  EXPECT_THAT(load_error("- 1\n- 2\n"), HasSubstr("got a list, expected a mapping"));
  EXPECT_THAT(load_error(""), HasSubstr("expected a mapping"));
}

TEST(YamlReader, TextsThatTheParserHasNoMemoryForAreRefused) {
  std::string text = "a: 1\n#";
  text.resize(kMaxYamlBytes, ' ');
  EXPECT_EQ(YamlDocument::from_text(text, "x.yaml")->root().integer("a"), 1);
  text += ' ';
  EXPECT_THAT([&] { YamlDocument::from_text(text, "x.yaml"); },
              testing::ThrowsMessage<UserError>("x.yaml: the file has 8388609 bytes, YAML files at most 8388608"));
}

TEST(YamlReader, NearestNameKeepsItsDistance) {
  EXPECT_EQ(nearest_name("frequency", {"frequency_mhz", "rows"}), std::nullopt);
  EXPECT_EQ(nearest_name("rosw", {"columns", "rows"}), "rows");
}

}  // namespace
}  // namespace tilewright
