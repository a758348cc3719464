// Element types that programs move and compute on, and their exact conversions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright {

enum class DataType : std::uint8_t { kFp32, kFp16, kBf16, kInt8, kInt32, kFp8E4m3, kFp8E5m2 };
inline constexpr int kDataTypeCount = 7;

int bytes_of(DataType type);
std::string_view name_of(DataType type);  // "fp32", "fp16", "bf16", "int8", "int32", "fp8_e4m3", "fp8_e5m2"
std::optional<DataType> parse_data_type(std::string_view name);

// The 8-bit floats.
constexpr bool is_fp8(DataType type) { return type == DataType::kFp8E4m3 || type == DataType::kFp8E5m2; }

// The type a product of two `input` values is summed in: int32 for int8, fp32 for the others.
DataType accumulator_type(DataType input);

// One element at `source` as a double (exact for every type).
double load_element(const std::byte* source, DataType type);
// Rounds to nearest even. Integers and the 8-bit floats of OCP's specification saturate, infinities too (so do ONNX's
// Cast and the conversions of matmul units); other floats overflow to infinity.
void store_element(std::byte* target, DataType type, double value);
// `value` as it would be read back after a store: the rounding of `type` and nothing else.
double round_to(DataType type, double value);
// The same, but that finite numbers stay finite: masks are written as the lowest fp32, which bf16 takes for infinite.
double round_finite(DataType type, double value);

}  // namespace tilewright
