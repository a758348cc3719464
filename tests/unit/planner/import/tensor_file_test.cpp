// Tensors in files of their own: what is written is read again, what is damaged is refused.
#include "planner/import/tensor_file.h"

#include <gmock/gmock.h>

#include <limits>

#include "planner/import/import_values.h"
#include "sim/base/error.h"
#include "tests/support/scratch_folder.h"
#include "tests/unit/planner/import/onnx_text.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using testing_support::ScratchFolder;

std::string written(const ScratchFolder& scratch, const std::string& name, const std::string& bytes) {
  const std::string path = (scratch.path() / name).string();
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(TensorFiles, EveryTypeAndShapeComesBack) {
  const ScratchFolder scratch("tensor_files");
  for (int i = 0; i < kValueTypeCount; ++i)
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{2, 3}, Shape{1, 2, 1, 2}}) {
      FileTensor tensor{.name = "t", .shape = shape, .type = static_cast<ValueType>(i)};
      for (std::int64_t at = 0; at < element_count(shape); ++at) tensor.values.push_back(static_cast<double>(at % 2));
      for (const bool proto : {false, true}) {
        const FileTensor read = read_tensor_file(
            written(scratch, proto ? "t.pb" : "t.npy", proto ? proto_bytes(tensor) : npy_bytes(tensor)));
        EXPECT_EQ(read.shape, shape) << name_of(tensor.type);
        EXPECT_EQ(read.values, tensor.values) << name_of(tensor.type);
        if (tensor.type == ValueType::kBfloat16 && !proto) continue;
        EXPECT_EQ(read.type, tensor.type);
      }
    }
}

TEST(TensorFiles, ColumnsFirstIsPutInOrder) {
  const ScratchFolder scratch("tensor_columns");
  std::string bytes = npy_bytes({.name = {}, .shape = {2, 3}, .type = ValueType::kInt8, .values = {1, 2, 3, 4, 5, 6}});
  bytes.replace(bytes.find("False, "), 7, "True,  ");
  EXPECT_THAT(read_tensor_file(written(scratch, "t.npy", bytes)).values, ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(TensorFiles, DamagedFilesAreNamed) {
  const ScratchFolder scratch("tensor_damaged");
  const std::string whole = npy_bytes({.name = {}, .shape = {4}, .type = ValueType::kFloat32, .values = {1, 2, 3, 4}});
  const auto refused = [&](const std::string& bytes, const std::string& what) {
    const std::string path = written(scratch, "t.npy", bytes);
    EXPECT_THAT([&] { read_tensor_file(path); }, ThrowsMessage<UserError>(HasSubstr(path + ": " + what)));
  };
  refused("", "is not an .npy file");
  refused(whole.substr(0, 40), "ends inside its header");
  refused(whole.substr(0, whole.size() - 1), "has 15 bytes of data");
  std::string complex = whole;
  refused(complex.replace(complex.find("<f4"), 3, "<c8"), "element type '<c8'");
  const std::string proto = written(scratch, "t.pb", "no proto");
  EXPECT_THAT([&] { read_tensor_file(proto); }, ThrowsMessage<UserError>(HasSubstr("is no TensorProto")));
  refused(npy_bytes({.name = {}, .shape = {1}, .type = ValueType::kUint64, .values = {9007199254740992.0}}),
          "holds whole numbers of 2^53 or more");
}

TEST(TensorFiles, OfMoreElementsThanCanBeCountedAreRefused) {
  const ScratchFolder scratch("tensor_counted");
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  FileTensor tensor{.name = "t", .shape = {most}, .type = ValueType::kInt8, .values = {1}};
  const auto refused = [&](const std::string& what) {
    const std::string path = written(scratch, "t.pb", proto_bytes(tensor));
    EXPECT_THAT([&] { read_tensor_file(path); }, ThrowsMessage<UserError>(HasSubstr(path + ": " + what)));
  };
  refused("has 1 ");
  tensor.shape = {most / 2 + 1, 2};
  refused(fmt::format("shape {}x2 has more elements than 64 bits count", most / 2 + 1));
}

Graph one_input(ValueType type, bool index) {
  Graph graph;
  graph.add_tensor({.name = "a/b", .shape = {2}, .kind = TensorKind::kInput, .is_index = index, .value_type = type});
  return graph;
}

TEST(InputValues, ComeByNameOrPosition) {
  const ScratchFolder scratch("input_values");
  const FileTensor tensor{.name = {}, .shape = {2}, .type = ValueType::kInt64, .values = {3, 4}};
  Graph graph = one_input(ValueType::kInt64, true);
  written(scratch, "input_0.pb", proto_bytes(tensor));
  read_input_values(scratch.path().string(), {"a/b"}, graph);
  EXPECT_THAT(*graph.tensor(0).data, ElementsAre(3, 4));
  written(scratch, "a_b.npy", npy_bytes(tensor));
  Graph again = one_input(ValueType::kInt64, true);
  EXPECT_THAT([&] { read_input_values(scratch.path().string(), {"a/b"}, again); },
              ThrowsMessage<UserError>(HasSubstr("'input_0' is no input of the model")));
}

TEST(InputValues, ThatDoNotFitAreRefused) {
  const ScratchFolder scratch("input_misfits");
  Graph graph = one_input(ValueType::kInt64, true);
  const auto refused = [&](const FileTensor& tensor, const std::string& what) {
    written(scratch, "a_b.npy", npy_bytes(tensor));
    EXPECT_THAT([&] { read_input_values(scratch.path().string(), {"a/b"}, graph); },
                ThrowsMessage<UserError>(HasSubstr(what)));
  };
  EXPECT_THAT(
      [&] { read_input_values(scratch.path().string(), {"a/b"}, graph); },
      ThrowsMessage<UserError>(HasSubstr("has no values for input 'a/b': neither a_b.npy, a_b.pb nor input_0.npy")));
  refused({.name = {}, .shape = {3}, .type = ValueType::kInt64, .values = {1, 2, 3}}, "has shape 3, input 'a/b' has 2");
  refused({.name = {}, .shape = {2}, .type = ValueType::kInt64, .values = {1, 2147483648.0}},
          "holds 2147483648, input 'a/b' is computed in int32");
  refused({.name = {}, .shape = {2}, .type = ValueType::kFloat32, .values = {1, 0.5}}, "holds 0.5");
}

}  // namespace
}  // namespace tilewright
