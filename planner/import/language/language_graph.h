// The operator graph of a step of a language model.
//
// Rows are the tokens of all sequences, [batch x tokens, hidden]. Operators of block i (from 1) are named "blockI...".
// The query heads that share keys stand behind each other as rows of one product, so keys and values are read once;
// of a decode step's cache only the new token is written.
#pragma once

#include "planner/graph/graph.h"
#include "planner/import/language/language_model.h"

namespace tilewright {

// With the first model.blocks() blocks. Inputs: "tokens", in decode "blockI.past_key" and "blockI.past_value"
// [batch x key-value heads, cached, head_dim]. Outputs: "head.out" [batch, vocabulary] of each sequence's last token,
// and of every block the keys and values of all tokens; of an encoder the last block's result [rows, hidden].
Graph language_graph(const LanguageModel& model, DataType type);

}  // namespace tilewright
