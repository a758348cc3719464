// What the queue model has predicted of programs on chips. One that is planned after another that differs only in how
// much its buffers hold is asked about many of the same programs.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>

#include "planner/estimate/queue_model/queue_transport.h"

namespace tilewright {

struct PredictionKey {
  std::uint64_t chip = 0;     // timing_fingerprint(); 0 where one chip is meant
  std::uint64_t program = 0;  // hash_of()
  RouterBuffers buffers = RouterBuffers::kLimited;
  auto operator<=>(const PredictionKey&) const = default;
};

struct Prediction {
  bool finished = false;
  double cycles = 0;  // core clocks; of one that is not finished: the program takes more
  std::int64_t energy_pj = 0;
};

class Predictions {
 public:
  // What is known by now; before anything is, that a program takes more than no time.
  const Prediction& of(const PredictionKey& key) const;
  const Prediction& learn(const PredictionKey& key, const Prediction& prediction);

  // What has been learned here, for take() of another process; what was taken is not among it.
  nlohmann::ordered_json learned() const;
  void take(const nlohmann::ordered_json& learned);

 private:
  std::map<PredictionKey, Prediction> known_;
  std::set<PredictionKey> learned_;
};

}  // namespace tilewright
