// A memory model of the user's own in place of the DRAM channels (`dram: {model: tlm}`).
#pragma once

#include "sim/model/dram/tlm_bridge.h"

namespace tilewright {

class ExternalMemory {
 public:
  virtual ~ExternalMemory() = default;
  // Binds the initiator socket of DRAM channel `channel` to a target of the user. Called once per channel, in ascending
  // order, while the session is made; the targets outlive the session.
  virtual void attach(int channel, tlm_utils::simple_initiator_socket<TlmBridge>& socket) = 0;
};

}  // namespace tilewright
