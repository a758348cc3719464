#include "cli/write_outputs.h"

#include <fmt/format.h>

#include <filesystem>

#include "planner/import/import_values.h"
#include "planner/import/tensor_file.h"
#include "planner/measure/outputs.h"
#include "sim/base/text_file.h"

namespace tilewright {

void write_outputs(const Plan& plan, const std::vector<SegmentData>& segments, const std::string& folder, bool proto) {
  int position = 0;
  for (OutputValues& output : output_values(plan, segments)) {
    const FileTensor tensor{std::move(output.name), std::move(output.shape), output.type, std::move(output.values)};
    const std::string file = proto ? fmt::format("output_{}.pb", position) : file_name_of(tensor.name) + ".npy";
    write_text_file((std::filesystem::path(folder) / file).string(), proto ? proto_bytes(tensor) : npy_bytes(tensor));
    ++position;
  }
}

}  // namespace tilewright
