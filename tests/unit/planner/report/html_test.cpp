// Result folders of strangers, damaged or of another kind, that a page is to be made of.
#include "planner/report/study/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "planner/report/run/report.h"
#include "planner/report/study/study_json.h"
#include "sim/base/error.h"
#include "tests/support/scratch_folder.h"

namespace tilewright {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class HtmlReport : public testing::Test {
 protected:
  // What is said of a folder with this one file.
  void report(const std::string& file, const std::string& json) {
    std::ofstream(scratch_.path() / file) << json;
    html_report({scratch_.path().string()});
  }

  const testing_support::ScratchFolder scratch_{"html_report"};
};

TEST_F(HtmlReport, NamesTheKeyThatAStudyMisses) {
  const std::string version = fmt::format(R"({{"schema_version": {}, )", kStudySchemaVersion);
  for (const char* rest :
       {R"("study": {}})", R"("study": {"name": 3}})", R"("study": "x"})", R"("study": null})", R"("a": 1})"})
    EXPECT_THAT([&] { report("results.json", version + rest); },
                ThrowsMessage<UserError>(HasSubstr("results.json: is damaged: 'name' is missing or no text")))
        << rest;
  EXPECT_NO_THROW(report("results.json", version + R"("study": {"name": "x"}})"));
}

TEST_F(HtmlReport, RefusesWhatIsTooDeepToBePrinted) {
  std::string deep(100'000, '[');
  deep += std::string(100'000, ']');
  EXPECT_THAT([&] { report("results.json", R"({"schema_version": )" + deep + "}"); },
              ThrowsMessage<UserError>(HasSubstr("results.json: its lists and mappings stand in each other")));
  EXPECT_THAT([&] { report("results.json", deep); }, ThrowsMessage<UserError>(HasSubstr("more than 64 deep")));
}

}  // namespace
}  // namespace tilewright
