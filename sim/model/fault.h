// An exception must not leave a SystemC process (the kernel ends that process for good). Modules catch it at the edge
// and hand it here; the session stops the run and throws it again.
#pragma once

#include <exception>

namespace tilewright {

class FaultSink {
 public:
  virtual ~FaultSink() = default;
  virtual void fault(std::exception_ptr error) = 0;
};

}  // namespace tilewright
