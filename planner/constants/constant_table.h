// What each of the planner's constants means, and how to set one for an experiment.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "planner/constants/constants.h"

namespace tilewright {

using ConstantMember = std::variant<double Constants::*, std::int64_t Constants::*>;

struct Constant {
  std::string_view name;
  ConstantMember member;
  std::string_view unit;
  double least, most;        // of legal values
  std::string_view meaning;  // what the planner does with it
  std::string_view origin;   // the data and the command it was fitted on, or why it was chosen
};

// One for each member of Constants, in their order.
std::span<const Constant> constant_table();

// As `values` has it; an integer exactly.
double value_of(const Constant& constant, const Constants& values);

// "name=value,name=value": puts them into effect for the rest of the process, before anything is planned. UserError
// (where, ...) on an unknown name, on what is no number of its kind, outside its range, or given twice.
void set_constants(const std::string& text, const std::string& where);

// "name=value" of each whose value in effect is not its default.
std::vector<std::string> changed_constants();

}  // namespace tilewright
