#include "planner/import/onnx_external.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "planner/import/onnx_tensor.h"
#include "sim/base/error.h"
#include "sim/base/number_text.h"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using onnx::TensorProto;

struct ExternalPlace {
  std::string file;
  std::int64_t offset = 0, length = -1;  // -1: to the end
};

std::int64_t number_of_bytes(const std::string& where, const std::string& key, const std::string& text) {
  const auto number = number_of<std::int64_t>(text);
  if (!number || *number < 0)
    throw UserError(where, fmt::format("external data: {}: got '{}', expected a number of bytes", key, text));
  return *number;
}

ExternalPlace place_of(const std::string& where, const TensorProto& tensor) {
  ExternalPlace place;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") place.file = entry.value();
    if (entry.key() == "offset") place.offset = number_of_bytes(where, "offset", entry.value());
    if (entry.key() == "length") place.length = number_of_bytes(where, "length", entry.value());
  }
  if (place.file.empty()) throw UserError(where, "its values lie in another file that the model does not name");
  return place;
}

// What links lead to counts: a model says what is read, and shall not say it of the rest of the machine.
bool lies_below(const fs::path& file, const fs::path& folder) {
  std::error_code ignored;
  const fs::path relative =
      fs::weakly_canonical(file, ignored).lexically_relative(fs::weakly_canonical(folder, ignored));
  return !relative.empty() && *relative.begin() != "..";
}

class ExternalValues {
 public:
  ExternalValues(const std::string& model, std::int64_t at_most, bool needed)
      : folder_(fs::absolute(model).parent_path()), at_most_(at_most), needed_(needed) {}

  void take_in(onnx::GraphProto& graph) {
    for (TensorProto& tensor : *graph.mutable_initializer()) take_in(tensor, tensor.name());
    for (onnx::NodeProto& node : *graph.mutable_node())
      for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
        if (attribute.has_t()) take_in(*attribute.mutable_t(), node.output_size() > 0 ? node.output(0) : node.name());
        if (attribute.has_g()) take_in(*attribute.mutable_g());
        for (onnx::GraphProto& body : *attribute.mutable_graphs()) take_in(body);
      }
  }

 private:
  void take_in(TensorProto& tensor, const std::string& name) {
    if (tensor.data_location() != TensorProto::EXTERNAL) return;
    const std::string where = fmt::format("tensor '{}'", name);
    const ExternalPlace place = place_of(where, tensor);
    const fs::path path = folder_ / place.file;
    if (!lies_below(path, folder_))
      throw UserError(where, fmt::format("its values lie in '{}', which is not below the model's folder", place.file));
    if (!has_few_values(where, tensor, at_most_) || (!needed_ && !fs::exists(path))) return;
    tensor.set_raw_data(read(where, path, place, raw_bytes(where, tensor)));
    tensor.set_data_location(TensorProto::DEFAULT);
    tensor.clear_external_data();
  }

  static std::string read(const std::string& where, const fs::path& path, const ExternalPlace& place,
                          std::int64_t bytes) {
    if (place.length >= 0 && place.length != bytes)
      throw UserError(where,
                      fmt::format("has {} bytes in '{}', but its shape takes {}", place.length, place.file, bytes));
    std::ifstream file(path, std::ios::binary);
    if (!file || fs::is_directory(path))
      throw UserError(where, fmt::format("its values lie in '{}', which cannot be opened", place.file));
    const auto size = static_cast<std::int64_t>(fs::file_size(path));
    if (place.offset > size || bytes > size - place.offset)
      throw UserError(where, fmt::format("its values are {} bytes at byte {} of '{}', which has {}", bytes,
                                         place.offset, place.file, size));
    std::string raw(static_cast<std::size_t>(bytes), '\0');
    if (!file.seekg(place.offset).read(raw.data(), bytes))
      throw UserError(where, fmt::format("its values in '{}' cannot be read", place.file));
    return raw;
  }

  const fs::path folder_;
  const std::int64_t at_most_;
  const bool needed_;
};

}  // namespace

void take_in_external_values(onnx::ModelProto& model, const std::string& path, std::int64_t at_most, bool needed) {
  ExternalValues(path, at_most, needed).take_in(*model.mutable_graph());
}

}  // namespace tilewright
