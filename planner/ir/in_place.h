// Concatenations and transposes that nothing is moved for: what they read is written where their result has it. And
// slices that nothing is moved for: who reads them reads a part of what is there.
#pragma once

#include <optional>
#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

// Whether the operator is such a concatenation: each input is made by this program and is part of no other result, and
// is one run of the result's memory; of those that a decomposition made, which may join what others joined, any part.
bool joins_in_place(const Plan& plan, const Operator& op);

// Stores of shorter runs would move more than they write.
Bytes shortest_run(const Hardware& hardware);

// Whether the operator is such a slice, one that a decomposition made: its readers read it where it lies.
bool slices_in_place(const Plan& plan, const Operator& op);

// Whether the operator is a concatenation whose first input lies there already, the network's cache: it moves the rest.
bool appends_in_place(const Plan& plan, const Operator& op);

// Whether the operator is such a concatenation or slice, of merged operators (ir/siblings.h): what is whole has no
// memory, its parts have.
bool lies_in_parts(const Operator& op);

// The operator whose instructions write the tensor, a part of its result or all of it, if one does: its producer but
// for what is cut out of a whole that lies in its parts.
std::optional<OperatorId> made_by(const Graph& graph, TensorId tensor);

// Position of input `index` along the axis of a concatenation.
std::int64_t first_of_input(const Graph& graph, const Operator& concat, std::size_t index);

// Whether the operator is a Transpose whose input's writer stores each element where the result has it: the input is
// made by this program, seen by nobody else, and keeps long enough runs.
bool transposes_in_place(const Plan& plan, const Operator& op);

// Of such a Transpose: its input and the tensors that the input is a renaming of, up to what instructions write.
std::vector<TensorId> written_for(const Graph& graph, const Operator& transpose);

// Dimensions of the Transpose's result in the order of a tensor before it (TensorPlan::permuted); nothing when a
// dimension of that tensor begins or ends inside one of them.
std::optional<std::vector<int>> order_before(const Graph& graph, const Operator& transpose, TensorId before);

// Whether the operator has no instructions: its result lies there already, or is written there by others.
bool needs_no_instruction(const Plan& plan, const Operator& op);

// The operators whose instructions write what is read as `tensor`; none for what lies there before the run.
std::vector<OperatorId> writers_of(const Plan& plan, TensorId tensor);

// An operator that reads a tensor, under its own name or as a part of a whole that lies in its parts.
struct TensorReader {
  OperatorId op = 0;
  TensorId as = -1;  // what it reads: the tensor, or the whole
};
std::vector<TensorReader> readers_of(const Graph& graph, TensorId tensor);

}  // namespace tilewright
