// One ONNX operator on inputs of every element type, and of every pair with floats and truth: it is refused, or what
// the chip computes is what the reference does. Most of these models no definition allows; files hold them all the
// same.
#include "planner/measure/check.h"
#include "planner/passes/pass.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/session.h"
#include "tests/unit/planner/import/onnx_text.h"

namespace tilewright {
namespace {

constexpr int kFloat = 1, kBool = 9;
constexpr int kTypes[] = {kFloat, 2, 3, 6, 7, kBool, 10, 11, 16};  // uint8, int8, int32, int64, ..., bf16

const char* const kOneInput[] = {"Abs",           "Neg",       "Relu",        "Sigmoid",    "Tanh",
                                 "Exp",           "Log",       "Sqrt",        "Reciprocal", "Floor",
                                 "Ceil",          "Round",     "Sin",         "Softmax",    "ReduceMean",
                                 "ReduceSum",     "ReduceMax", "ReduceMin",   "ReduceProd", "ReduceL2",
                                 "MaxPool",       "Transpose", "AveragePool", "Flatten",    "GlobalAveragePool",
                                 "GlobalMaxPool", "Identity",  "Not",         "Sign",       "HardSigmoid",
                                 "HardSwish",     "Elu",       "LeakyRelu",   "Softplus",   "CumSum",
                                 "ArgMax",        "Clip",      "LRN",         "LogSoftmax", "Erf",
                                 "IsNaN",         "Einsum"};
const char* const kTwoInputs[] = {"Add",  "Sub",   "Mul",     "Div",         "Pow",           "Max",    "Min",
                                  "Mean", "Sum",   "Mod",     "Equal",       "Less",          "And",    "Or",
                                  "Xor",  "PRelu", "Greater", "LessOrEqual", "MatMulInteger", "MatMul", "Gemm",
                                  "Conv", "Where", "Concat",  "ConvInteger", "ConvTranspose", "Gather", "Expand"};

bool is_of_images(const std::string& op) {
  return op.find("Pool") != std::string::npos || op.find("Conv") != std::string::npos || op == "LRN";
}

std::string attributes_of(const std::string& op) {
  if (op == "MaxPool" || op == "AveragePool") return ints("kernel_shape", {2, 2});
  if (op == "Concat") return integer("axis", 0);
  return op == "LRN" ? integer("size", 3) : "";
}

// The types of x and, of two inputs, of w.
std::string model_of(const std::string& op, const std::vector<int>& types) {
  const Shape x = is_of_images(op) ? Shape{1, 4, 4, 4} : Shape{4, 4};
  const Shape w = op == "Conv" || op == "ConvInteger" ? Shape{4, 4, 3, 3} : x;
  std::string text =
      "ir_version: 8 opset_import { version: 17 } graph { name: 'one' output { name: 'y' } node { op_type: '" + op +
      "' name: 'n' input: 'x' output: 'y' ";
  if (types.size() > 1) text += "input: 'w' ";
  if (op == "Where") text += "input: 'x' ";
  text += attributes_of(op) + "} " + input_text("x", x, types[0]);
  return text + (types.size() > 1 ? input_text("w", w, types[1]) : "") + "}";
}

class OneOperator : public testing::Test {
 protected:
  void expect_right_or_refused(const std::string& op, const std::vector<int>& types) {
    SCOPED_TRACE(fmt::format("{} of types {}", op, fmt::join(types, " and ")));
    try {
      const Plan plan = make_plan(import_model_text(model_of(op, types)), session_.hardware(), {});
      const RunResult result = session_.run(plan.program, value_run(plan, 1));
      EXPECT_TRUE(compare_values(plan, result.kept).passed());
      ++right_;
    } catch (const UserError&) {
      ++refused_;
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }

  Session session_{load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/quad_smp.yaml")};
  int right_ = 0, refused_ = 0;
};

TEST_F(OneOperator, OfEveryElementType) {
  for (const char* op : kOneInput)
    for (const int type : kTypes) expect_right_or_refused(op, {type});
  EXPECT_GT(right_, 150);
  EXPECT_GT(refused_, 20);
}

TEST_F(OneOperator, OfEveryPairOfElementTypes) {
  for (const char* op : kTwoInputs)
    for (const int first : kTypes)
      for (const int second : kTypes)
        if (first == second || first == kFloat || second == kFloat || first == kBool || second == kBool)
          expect_right_or_refused(op, {first, second});
  EXPECT_GT(right_, 500);
  EXPECT_GT(refused_, 100);
}

}  // namespace
}  // namespace tilewright
