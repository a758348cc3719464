// Whether a language model and what is run of it can be counted in 64 bits and held in memory, before either is done.
#pragma once

#include "planner/import/language/language_model.h"

namespace tilewright {

// UserError naming the file: more than 2^44 parameters.
void check_size(const LanguageConfig& config);
// UserError naming the file, for a model that check_size() has passed: a step of more than 2^58 multiply-adds or
// values in the cache, or more choices of experts than can be drawn.
void check_work(const LanguageModel& model);

}  // namespace tilewright
