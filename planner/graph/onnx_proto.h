// ONNX's protobuf classes as Debian builds them.
#pragma once

#define ONNX_NAMESPACE onnx
#define ONNX_ML 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop
