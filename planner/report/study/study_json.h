// Studies and their points as JSON, both ways. docs/exploration.md explains the keys.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "planner/search/study/study_points.h"

namespace tilewright {

inline constexpr int kStudySchemaVersion = 2;

// The whole definition; study_from_json() gives the same Study again.
nlohmann::ordered_json to_json(const Study& study);
Study study_from_json(const nlohmann::ordered_json& json);

// What makes two studies the same: everything but where its files lie; what they hold counts.
std::string identity_of(const Study& study);

// Throws UserError for a name that no figure has.
StudyFigure study_figure_named(const std::string& key);

// A point with its parameters, figures and objectives; point_from_json() reads what the others do not follow from.
nlohmann::ordered_json to_json(const Study& study, const PointResult& result);
PointResult point_from_json(const nlohmann::ordered_json& json);

}  // namespace tilewright
