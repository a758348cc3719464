// CSV written and read: quotes, places of errors, columns by name.
#include "sim/base/csv.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <fstream>

#include "sim/base/error.h"
#include "tests/support/scratch_folder.h"

namespace tilewright {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

class Csv : public testing::Test {
 protected:
  std::string file(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return path_;
  }
  std::vector<CsvLine> lines(const std::string& text) { return read_csv_lines(file(text)); }
  template <typename Read>
  std::string error(Read read) {
    try {
      read();
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  std::string line_error(const std::string& text) {
    return error([&] { lines(text); });
  }
  std::string table_error(const std::string& text) {
    return error([&] { read_csv_table(file(text)); });
  }

  testing_support::ScratchFolder scratch_{"csv"};
  std::string path_ = (scratch_.path() / "t.csv").string();
};

TEST_F(Csv, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv_line({"", "a,b", ""}), ",\"a,b\",\n");
}

TEST_F(Csv, ReadsFieldsInQuotes) {
  const auto read = lines("a, b ,\"c,d\"\r\n\"say \"\"no\"\"\",,\"two\nlines\"\n");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_THAT(read[0].fields, ElementsAre("a", "b", "c,d"));
  EXPECT_THAT(read[1].fields, ElementsAre("say \"no\"", "", "two\nlines"));
}

TEST_F(Csv, CountsTheLinesThatItSkips) {
  const auto read = lines("# units: cycles, \"bytes\"\n\n  \na,b\n\"x\ny\",1\n  # more\n2,3");
  ASSERT_EQ(read.size(), 3u);
  EXPECT_THAT(read[0].where, EndsWith("t.csv:4"));
  EXPECT_THAT(read[1].where, EndsWith("t.csv:5"));
  EXPECT_THAT(read[2].where, EndsWith("t.csv:8"));
  EXPECT_THAT(read[2].fields, ElementsAre("2", "3"));
  EXPECT_THAT(lines(""), IsEmpty());
}

TEST_F(Csv, ACommentInsideQuotesIsText) {
  EXPECT_THAT(lines("\"a\n# b\n\nc\",d\n")[0].fields, ElementsAre("a\n# b\n\nc", "d"));
}

TEST_F(Csv, SaysWhereAQuoteIsWrong) {
  EXPECT_THAT(line_error("a,b\nc\"d,e\n"),
              EndsWith("t.csv:2: a quote inside a field; put the whole field in quotes and "
                       "double the quotes inside it"));
  EXPECT_THAT(line_error("a,b\n\"c\" d,e\n"), testing::HasSubstr("t.csv:2: a quote inside a field"));
  EXPECT_THAT(line_error("a\n\"b\nc\n"), EndsWith("t.csv:2: a quote that is never closed"));
}

TEST_F(Csv, TakesLinesOf4096Characters) {
  EXPECT_EQ(line_error(std::string(4096, 'x')), "");
  EXPECT_THAT(line_error("a\n" + std::string(4097, 'x')),
              EndsWith("t.csv:2: the line has 4097 characters, at most 4096 expected"));
}

TEST_F(Csv, AMissingFileIsTheUsersError) {
  EXPECT_EQ(error([] { read_csv_lines("no/such.csv"); }), "no/such.csv: cannot be read: No such file or directory");
}

TEST_F(Csv, FindsColumnsByTheirNames) {
  const auto rows = read_csv_table(file("name,cycles,share\n\"a,b\",12,\nc,-3.5,0.25\n"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].text("name"), "a,b");
  EXPECT_EQ(rows[0].count("cycles"), 12);
  EXPECT_EQ(rows[0].number_or("share", 7), 7);
  EXPECT_EQ(rows[1].number("cycles"), -3.5);
  EXPECT_EQ(rows[1].number_or("share", 7), 0.25);
  EXPECT_TRUE(rows[0].has("share"));
  EXPECT_FALSE(rows[0].has("shares"));
}

TEST_F(Csv, SaysWhichFieldIsNoNumber) {
  const auto rows = read_csv_table(file("a,b\n12x,0\n"));
  EXPECT_THAT(error([&] { rows[0].number("a"); }), EndsWith("t.csv:2: a: got '12x', expected a number"));
  EXPECT_THAT(error([&] { rows[0].number_or("a", 0); }), EndsWith("t.csv:2: a: got '12x', expected a number"));
  EXPECT_THAT(error([&] { rows[0].count("b"); }), EndsWith("t.csv:2: b: got 0, expected a whole number from 1"));
  EXPECT_THAT(error([&] { rows[0].text("c"); }), EndsWith("t.csv:2: the table has no column 'c'"));
}

TEST_F(Csv, RefusesTablesThatAreNone) {
  EXPECT_THAT(table_error("a,b\n"), EndsWith("t.csv: holds no rows below a header"));
  EXPECT_THAT(table_error("a,b,a\n1,2,3\n"), EndsWith("t.csv:1: column 'a' appears twice"));
  EXPECT_THAT(table_error("a,b\n1,2\n1\n"), EndsWith("t.csv:3: got 1 fields, expected 2"));
  EXPECT_THAT(table_error("a,b\n1,2,3\n"), EndsWith("t.csv:2: got 3 fields, expected 2"));
}

// Blanks around an unquoted field do not count, so a field must not begin or end with one; an empty line is no row.
RC_GTEST_FIXTURE_PROP(Csv, WhatIsWrittenIsRead, ()) {
  const auto letter = rc::gen::elementOf(std::string("ab ,\"\n\r#'"));
  const auto field = rc::gen::map(rc::gen::container<std::string>(letter), [](std::string s) { return "<" + s + ">"; });
  const auto fields = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(field));
  const auto read = lines(csv_line(fields) + csv_line(fields));
  RC_ASSERT(read.size() == 2u);
  RC_ASSERT(read[0].fields == fields);
  RC_ASSERT(read[1].fields == fields);
}

}  // namespace
}  // namespace tilewright
