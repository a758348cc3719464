// Who hears of barriers.
#pragma once

namespace tilewright {

// Told when a barrier opens: caches drop what the program may have written.
class BarrierListener {
 public:
  virtual ~BarrierListener() = default;
  virtual void barrier_opened() = 0;
};

}  // namespace tilewright
