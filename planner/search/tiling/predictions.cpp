#include "planner/search/tiling/predictions.h"

#include <nlohmann/json.hpp>

namespace tilewright {

const Prediction& Predictions::of(const PredictionKey& key) const {
  static const Prediction nothing;
  const auto found = known_.find(key);
  return found == known_.end() ? nothing : found->second;
}

const Prediction& Predictions::learn(const PredictionKey& key, const Prediction& prediction) {
  learned_.insert(key);
  return known_[key] = prediction;
}

nlohmann::ordered_json Predictions::learned() const {
  auto rows = nlohmann::ordered_json::array();
  for (const PredictionKey& key : learned_) {
    const Prediction& known = known_.at(key);
    rows.push_back({key.chip, key.program, key.buffers, known.finished, known.cycles, known.energy_pj});
  }
  return rows;
}

// Another process may know more of a program that it was asked about as well.
void Predictions::take(const nlohmann::ordered_json& learned) {
  for (const auto& row : learned) {
    Prediction& known = known_[{row.at(0), row.at(1), row.at(2)}];
    const Prediction other{row.at(3), row.at(4), row.at(5)};
    if (!known.finished && (other.finished || other.cycles > known.cycles)) known = other;
  }
}

}  // namespace tilewright
