#include "sim/base/json_levels.h"

#include "sim/base/error.h"
#include "sim/base/text_file.h"

namespace tilewright {

void check_json_levels(std::string_view json, const std::string& where) {
  int levels = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++at;
    if (quoted) continue;
    if (c == '[' || c == '{') ++levels;
    if (c == ']' || c == '}') --levels;
    if (levels > kMostJsonLevels)
      throw UserError(where,
                      fmt::format("its lists and mappings stand in each other more than {} deep", kMostJsonLevels));
  }
}

std::string read_json_text(const std::string& path) {
  std::string text = read_text_file(path);
  check_json_levels(text, path);
  return text;
}

}  // namespace tilewright
