// What one measured row of a TPU v3 core runs: the kernels that XLA makes of it, each a launch of its own.
#pragma once

#include <string>
#include <vector>

#include "planner/graph/graph.h"

namespace tilewright {

// gemm "gemm_MxNxK"; conv "N=64;H=28;W=28;C=128;K=128;R=S=3;stride=1;pad=1"; layernorm "layernorm_ROWSxCOLUMNS";
// softmax "softmax_ROWSxCOLUMNS"; attention "heads=16;seq=512;head_dim=64"; network "resnet18|resnet50 batch=1" and
// "bert_base|bert_large encoder block, seq=512". Launched one after the other; images and channels padded to 8 x 128.
// UserError(where, ...) for anything else.
std::vector<Graph> tpuv3_kernels(const std::string& where, const std::string& op, const std::string& dims);

}  // namespace tilewright
