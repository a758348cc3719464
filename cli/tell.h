// What a command says beside its result, on standard error.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace tilewright {

// What cannot be written there is lost: a full disk behind 2> must not cost the result.
template <typename... Arguments>
void tell(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  std::fputs(fmt::format(format, std::forward<Arguments>(arguments)...).c_str(), stderr);
}

}  // namespace tilewright
