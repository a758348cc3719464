// How deep lists and mappings of a JSON text stand in each other: its parser takes memory for every level, and its
// printer a frame of the stack.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

inline constexpr int kMostJsonLevels = 64;

// UserError naming `where` for a text of more levels. For every text that is not of this process, before it is parsed.
void check_json_levels(std::string_view json, const std::string& where);
// Of a file, checked.
std::string read_json_text(const std::string& path);

}  // namespace tilewright
