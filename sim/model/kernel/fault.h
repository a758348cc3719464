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

// The first fault of a run; every module stands still from then on.
class FirstFault : public FaultSink {
 public:
  void reset() { error_ = nullptr; }
  void fault(std::exception_ptr error) override {
    if (!error_) error_ = error;
  }
  bool failed() const { return error_ != nullptr; }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
};

}  // namespace tilewright
