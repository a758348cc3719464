// The edge of the chip as a TLM-2.0 initiator, for users who attach a memory model of their own in place of a DRAM
// channel (`dram: {model: tlm}`). Speaks the base protocol without blocking, so a target with a simple_target_socket
// may implement either transport call. Carries addresses and sizes; the bytes themselves are not modelled at this edge.
#pragma once

#include <tlm.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sim/base/containers.h"
#include "sim/base/event.h"
#include "sim/hw/config/dram_spec.h"
#include "sim/machine/port/memory_port.h"
#include "sim/model/kernel/chip_module.h"

namespace tilewright {

class TlmBridge : public ChipModule, public DramPort, private tlm::tlm_mm_interface {
 public:
  // Payload addresses are the global DRAM addresses of the requests of this channel. Bytes are counted for the operator
  // of the request, rounded up to bursts; what happens inside the memory is the attached model's to report.
  TlmBridge(sc_core::sc_module_name name, const DramSpec& spec, int channel, EventMeter& meter, FaultSink& faults);
  ~TlmBridge() override;

  tlm_utils::simple_initiator_socket<TlmBridge> socket;

  void set_client(MemoryClient* client) override { client_ = client; }
  // Answered when the response arrives. A response other than TLM_OK_RESPONSE is a UserError, handed to the fault sink.
  void memory_request(const MemoryRequest& request, Picoseconds now) override;
  // Responses to earlier requests that still arrive are ignored.
  void reset() override;
  Picoseconds settle() override { return 0; }
  std::string waiting_for() const override;
  // Under "dram<channel>.".
  void add_statistics(const RunSpan& run, Statistics& statistics) override;
  void add_probes(Probes& probes) const override;
  void add_activity(std::vector<const sc_core::sc_event*>& events) const override { events.push_back(&wake_); }

 private:
  class Transaction;
  struct Response {
    sc_core::sc_time time;
    std::int64_t order;
    Transaction* transaction;
  };
  struct Arrival {
    MemoryRequest request;
    Picoseconds time = 0;
  };
  struct State {
    Ring<Arrival> waiting;
    std::vector<Response> responses;  // heap, earliest on top
    int in_flight = 0;
    int program = 0;  // which reset() a transaction belongs to
    std::int64_t order = 0, reads = 0, writes = 0, read_bytes = 0, write_bytes = 0;
  };

  void evaluate_guarded();
  void send();
  void sent(Transaction& transaction, tlm::tlm_sync_enum status, tlm::tlm_phase phase, const sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void end_request(const Transaction& transaction);
  void respond_at(Transaction& transaction, const sc_core::sc_time& delay);
  void answer();
  void finish(Transaction& transaction);
  void count(const MemoryRequest& request);
  Transaction& allocate(const Arrival& arrival);
  void free(tlm::tlm_generic_payload* payload) override;
  static bool later(const Response& a, const Response& b);

  const DramSpec& spec_;
  const int channel_;
  EventMeter& meter_;
  FaultSink& faults_;
  MemoryClient* client_ = nullptr;
  std::vector<std::unique_ptr<Transaction>> transactions_;
  std::vector<Transaction*> free_;
  // Holder of the open request phase, of which the base protocol allows one. Not in State: only the target ends it.
  const Transaction* requesting_ = nullptr;
  State state_;
  sc_core::sc_event wake_;
};

// A memory model of the user's own in place of the DRAM channels.
class ExternalMemory {
 public:
  virtual ~ExternalMemory() = default;
  // Binds the initiator socket of DRAM channel `channel` to a target of the user. Called once per channel, in ascending
  // order, while the session is made; the targets outlive the session.
  virtual void attach(int channel, tlm_utils::simple_initiator_socket<TlmBridge>& socket) = 0;
};

}  // namespace tilewright
