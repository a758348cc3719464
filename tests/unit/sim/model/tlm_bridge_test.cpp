#include "sim/model/dram/tlm_bridge.h"

#include <gtest/gtest.h>
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_target_socket.h>

#include "sim/base/error.h"
#include "sim/model/kernel/chip_module.h"
#include "tests/unit/sim/machine/dram/dram_test_specs.h"

namespace tilewright {
namespace {

// The simplest memory a user can attach: every access takes the same time.
struct FixedLatencyMemory : sc_core::sc_module {
  tlm_utils::simple_target_socket<FixedLatencyMemory> socket{"socket"};
  std::vector<std::pair<sc_dt::uint64, unsigned>> seen;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;

  explicit FixedLatencyMemory(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_b_transport(this, &FixedLatencyMemory::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    seen.emplace_back(payload.get_address(), payload.get_data_length());
    delay += sc_core::sc_time(100, sc_core::SC_NS);
    payload.set_response_status(status);
  }
};

// A memory with a pipeline of its own: takes a request every 10 ns, answers 50 ns later.
struct PipelinedMemory : sc_core::sc_module {
  tlm_utils::simple_target_socket<PipelinedMemory> socket{"socket"};
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> accepted{"accepted"}, done{"done"};

  explicit PipelinedMemory(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_nb_transport_fw(this, &PipelinedMemory::nb_transport_fw);
    SC_HAS_PROCESS(PipelinedMemory);
    SC_METHOD(end_requests);
    sensitive << accepted.get_event();
    dont_initialize();
    SC_METHOD(begin_responses);
    sensitive << done.get_event();
    dont_initialize();
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& t) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
    accepted.notify(payload, t + sc_core::sc_time(10, sc_core::SC_NS));
    done.notify(payload, t + sc_core::sc_time(60, sc_core::SC_NS));
    return tlm::TLM_ACCEPTED;
  }
  void call_back(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase) {
    sc_core::sc_time t = sc_core::SC_ZERO_TIME;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    socket->nb_transport_bw(payload, phase, t);
  }
  void end_requests() {
    while (auto* payload = accepted.get_next_transaction()) call_back(*payload, tlm::END_REQ);
  }
  void begin_responses() {
    while (auto* payload = done.get_next_transaction()) call_back(*payload, tlm::BEGIN_RESP);
  }
};

struct BridgeRecorder : MemoryClient, FaultSink {
  std::vector<std::pair<std::uint32_t, Picoseconds>> done;  // tag, time
  std::exception_ptr error;

  void memory_done(const MemoryRequest& request, Picoseconds now) override { done.emplace_back(request.tag, now); }
  void fault(std::exception_ptr e) override { error = e; }
};

template <typename Memory>
struct Bench {
  DramSpec spec = ddr4_spec();
  EventMeter meter;
  BridgeRecorder recorder;
  TlmBridge bridge{"bridge", spec, 0, meter, recorder};
  Memory memory{"memory"};

  Bench() {
    meter.reset(2);
    bridge.socket.bind(memory.socket);
    bridge.set_client(&recorder);
    bridge.reset();
  }
  void request(Address address, int bytes, bool write, std::uint32_t tag) {
    MemoryRequest r;
    r.address = address;
    r.bytes = bytes;
    r.write = write;
    r.op = 1;
    r.tag = tag;
    bridge.memory_request(r, kernel_now());
  }
};

using Done = std::vector<std::pair<std::uint32_t, Picoseconds>>;

TEST(TlmBridge, LooselyTimedMemoryAnswersAfterItsDelay) {
  Bench<FixedLatencyMemory> bench;
  bench.request(4096, 256, false, 7);
  bench.request(100, 8, true, 8);
  EXPECT_NE(bench.bridge.waiting_for(), "");
  sc_core::sc_start();
  ASSERT_EQ(bench.recorder.done.size(), 2u);
  EXPECT_EQ(bench.recorder.done[0], (std::pair<std::uint32_t, Picoseconds>{7, 100000}));
  ASSERT_EQ(bench.memory.seen.size(), 2u);
  EXPECT_EQ(bench.memory.seen[1], (std::pair<sc_dt::uint64, unsigned>{100, 8}));
  EXPECT_EQ(bench.bridge.waiting_for(), "");
  EXPECT_EQ(bench.meter.per_operator()[1][static_cast<int>(Event::kDramReadBytes)], 256);
  EXPECT_EQ(bench.meter.per_operator()[1][static_cast<int>(Event::kDramWriteBytes)], 64);
}

TEST(TlmBridge, ApproximatelyTimedMemoryPacesTheRequests) {
  Bench<PipelinedMemory> bench;
  for (std::uint32_t i = 0; i < 3; ++i) bench.request(i * 64, 64, false, i);
  sc_core::sc_start();
  EXPECT_EQ(bench.recorder.done, (Done{{0, 60000}, {1, 70000}, {2, 80000}}));
}

TEST(TlmBridge, ResetIgnoresLateResponses) {
  Bench<PipelinedMemory> bench;
  bench.request(0, 64, false, 1);
  sc_core::sc_start(30, sc_core::SC_NS);
  bench.bridge.reset();
  bench.request(64, 64, false, 2);
  sc_core::sc_start();
  EXPECT_EQ(bench.recorder.done, (Done{{2, 90000}}));
  EXPECT_EQ(bench.bridge.waiting_for(), "");
}

TEST(TlmBridge, AnErrorResponseIsTheUsersError) {
  Bench<FixedLatencyMemory> bench;
  bench.memory.status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  bench.request(0, 64, false, 1);
  sc_core::sc_start();
  ASSERT_TRUE(bench.recorder.error);
  EXPECT_THROW(std::rethrow_exception(bench.recorder.error), UserError);
  EXPECT_TRUE(bench.recorder.done.empty());
}

}  // namespace
}  // namespace tilewright
