// The planner's constants: the table's rows, and setting one for an experiment.
#include "planner/constants/constant_table.h"

#include <gmock/gmock.h>

#include <set>

#include "sim/base/error.h"

namespace tilewright {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string fault_of(const std::string& text) {
  try {
    set_constants(text, "HERE");
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(ConstantTable, DefaultsAreLegalAndNamesDiffer) {
  std::set<std::string_view> names;
  for (const Constant& constant : constant_table()) {
    EXPECT_TRUE(names.insert(constant.name).second) << constant.name;
    EXPECT_GE(value_of(constant, {}), constant.least) << constant.name;
    EXPECT_LE(value_of(constant, {}), constant.most) << constant.name;
    EXPECT_FALSE(constant.unit.empty() || constant.meaning.empty() || constant.origin.empty()) << constant.name;
  }
}

TEST(ConstantTable, EachRowHasAMemberOfItsOwn) {
  std::set<const void*> members;
  const Constants values;
  for (const Constant& constant : constant_table())
    std::visit([&](auto member) { EXPECT_TRUE(members.insert(&(values.*member)).second) << constant.name; },
               constant.member);
}

TEST(ConstantTable, NothingIsChangedUnlessAsked) { EXPECT_THAT(changed_constants(), ElementsAre()); }

TEST(ConstantTable, ChangedOnesAreListed) {
  set_constants("row_visit_bursts=0.35,refine_steps=0", "HERE");
  EXPECT_EQ(constants().row_visit_bursts, 0.35);
  EXPECT_EQ(constants().refine_steps, 0);
  EXPECT_THAT(changed_constants(), ElementsAre("row_visit_bursts=0.35", "refine_steps=0"));
}

TEST(ConstantTable, RangesHoldAtTheirEnds) {
  EXPECT_EQ(fault_of("buffering=2"), "none");
  EXPECT_THAT(fault_of("buffering=1"), HasSubstr("HERE: buffering: got '1', expected a whole number from 2 to 8"));
  EXPECT_EQ(fault_of("buffering=8"), "none");
  EXPECT_THAT(fault_of("buffering=9"), HasSubstr("got '9'"));
}

TEST(ConstantTable, MistakesAreNamed) {
  EXPECT_THAT(fault_of("row_visit=1"), HasSubstr("HERE: got 'row_visit', expected row_visit_bursts|"));
  EXPECT_THAT(fault_of("row_visit_bursts"), HasSubstr("got 'row_visit_bursts', expected name=value"));
  EXPECT_THAT(fault_of("refine_steps=2.5"), HasSubstr("got '2.5', expected a whole number"));
  EXPECT_THAT(fault_of("refine_gain=much"), HasSubstr("got 'much', expected a number"));
  EXPECT_THAT(fault_of("refine_gain=nan"), HasSubstr("got 'nan'"));
  EXPECT_THAT(fault_of("refine_gain=0.1,refine_gain=0.2"), HasSubstr("refine_gain is given twice"));
  EXPECT_THAT(fault_of("refine_gain=0.1,"), HasSubstr("got '', expected name=value"));
}

}  // namespace
}  // namespace tilewright
