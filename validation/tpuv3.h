// Our whole path, planner included, beside measured silicon: kernels and networks on one core of a TPU v3.
#pragma once

#include <string>

#include "planner/graph/graph.h"
#include "sim/session.h"
#include "validation/report.h"

namespace tilewright {

// gemm "gemm_MxNxK"; conv "N=64;H=28;W=28;C=128;K=128;R=S=3;stride=1;pad=1"; layernorm "layernorm_ROWSxCOLUMNS";
// softmax "softmax_ROWSxCOLUMNS"; attention "heads=16;seq=512;head_dim=64"; network "resnet18|resnet50 batch=1" and
// "bert_base|bert_large encoder block, seq=512". UserError(where, ...) for anything else.
Graph tpuv3_workload(const std::string& where, const std::string& op, const std::string& dims);

// Runs every row of the table at `csv_path` on `core`. Judged: the mean absolute error over all
// rows, at most 11 %; single rows are shown without judgement.
ValidationReport validate_tpuv3(const std::string& csv_path, Session& core);

}  // namespace tilewright
