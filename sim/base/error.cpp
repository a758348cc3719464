#include "sim/base/error.h"

namespace tilewright {

void fail_check(const char* file, int line, const char* condition, const std::string& message) {
  throw InternalError(fmt::format("{}:{}: internal check failed: {} ({})", file, line, message, condition));
}

}  // namespace tilewright
