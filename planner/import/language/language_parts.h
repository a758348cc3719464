// Parts of a block; language_graph.h has the whole.
#pragma once

#include "planner/import/language/graph_steps.h"
#include "planner/import/language/language_model.h"

namespace tilewright {

// What all blocks read alike: made once.
struct SharedTensors {
  TensorId mask = -1;  // [tokens x heads per key, tokens]; none: every token sees all
  // Prefill: swaps the halves of a head with a sign [head_dim, head_dim], and the angles' cosines and sines for the
  // rows of queries and of keys [rows, head_dim]. Decode: `rotation` alone, with the angles of its one position.
  TensorId rotation = -1, query_cosine = -1, query_sine = -1, key_cosine = -1, key_sine = -1;
};
SharedTensors shared_tensors(GraphSteps& steps, const LanguageModel& model);

// x [rows, hidden] -> normalised.
TensorId normalised(GraphSteps& steps, const LanguageConfig& config, const std::string& name, TensorId x);

// x [rows, hidden] -> what the block adds to it.
TensorId attention(GraphSteps& steps, const LanguageModel& model, const SharedTensors& shared, TensorId x);
TensorId feed_forward(GraphSteps& steps, const LanguageConfig& config, const std::string& name, TensorId x);
TensorId mixture_of_experts(GraphSteps& steps, const LanguageModel& model, TensorId x);

}  // namespace tilewright
