#include "sim/model/dram/tlm_bridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/error.h"
#include "sim/model/kernel/chip_module.h"

namespace tilewright {

class TlmBridge::Transaction : public tlm::tlm_generic_payload {
 public:
  MemoryRequest request;
  Picoseconds arrival = 0;
  int program = 0;
  std::vector<unsigned char> data;  // targets may touch it; nobody reads it
};

TlmBridge::TlmBridge(sc_core::sc_module_name name, const DramSpec& spec, int channel, EventMeter& meter,
                     FaultSink& faults)
    : ChipModule(name, "tlm_bridge"), socket("socket"), spec_(spec), channel_(channel), meter_(meter), faults_(faults) {
  socket.register_nb_transport_bw(this, &TlmBridge::nb_transport_bw);
  SC_HAS_PROCESS(TlmBridge);
  SC_METHOD(evaluate_guarded);
  sensitive << wake_;
  dont_initialize();
}

TlmBridge::~TlmBridge() = default;

void TlmBridge::reset() {
  const int program = state_.program + 1;
  for (const Response& response : state_.responses) response.transaction->release();
  state_ = State();
  state_.program = program;
}

void TlmBridge::memory_request(const MemoryRequest& request, Picoseconds now) {
  state_.waiting.push_back({request, now});
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void TlmBridge::evaluate_guarded() {
  try {
    answer();
    while (requesting_ == nullptr && !state_.waiting.empty()) send();
    if (!state_.responses.empty()) wake_.notify(state_.responses.front().time - sc_core::sc_time_stamp());
  } catch (...) {
    faults_.fault(std::current_exception());
  }
}

void TlmBridge::send() {
  Transaction& transaction = allocate(state_.waiting.front());
  state_.waiting.pop_front();
  count(transaction.request);
  transaction.acquire();
  requesting_ = &transaction;
  state_.in_flight += 1;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum status = socket->nb_transport_fw(transaction, phase, delay);
  sent(transaction, status, phase, delay);
}

void TlmBridge::sent(Transaction& transaction, tlm::tlm_sync_enum status, tlm::tlm_phase phase,
                     const sc_core::sc_time& delay) {
  if (status == tlm::TLM_ACCEPTED) return;  // the target calls back
  end_request(transaction);
  if (status == tlm::TLM_COMPLETED) return respond_at(transaction, delay);
  if (phase != tlm::BEGIN_RESP) return;
  respond_at(transaction, delay);
  tlm::tlm_phase end = tlm::END_RESP;
  sc_core::sc_time end_delay = delay;
  socket->nb_transport_fw(transaction, end, end_delay);
}

tlm::tlm_sync_enum TlmBridge::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                              sc_core::sc_time& delay) {
  // Only payloads of our own pool travel over this socket.
  Transaction& transaction = static_cast<Transaction&>(payload);
  end_request(transaction);
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  respond_at(transaction, delay);
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

// The end of a request phase, said or implied: the next request may go out.
void TlmBridge::end_request(const Transaction& transaction) {
  if (requesting_ != &transaction) return;
  requesting_ = nullptr;
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void TlmBridge::respond_at(Transaction& transaction, const sc_core::sc_time& delay) {
  if (transaction.program != state_.program) return transaction.release();
  state_.responses.push_back({sc_core::sc_time_stamp() + delay, state_.order++, &transaction});
  std::push_heap(state_.responses.begin(), state_.responses.end(), later);
  wake_.notify(sc_core::SC_ZERO_TIME);
}

bool TlmBridge::later(const Response& a, const Response& b) {
  return a.time != b.time ? a.time > b.time : a.order > b.order;
}

void TlmBridge::answer() {
  while (!state_.responses.empty() && state_.responses.front().time <= sc_core::sc_time_stamp()) {
    std::pop_heap(state_.responses.begin(), state_.responses.end(), later);
    Transaction& transaction = *state_.responses.back().transaction;
    state_.responses.pop_back();
    finish(transaction);
  }
}

void TlmBridge::finish(Transaction& transaction) {
  SIM_CHECK(client_ != nullptr, "TLM bridge {} has no client", channel_);
  MemoryRequest request = transaction.request;
  request.delay.latency = MemoryDelay::clipped(kernel_now() - transaction.arrival);
  const bool ok = transaction.is_response_ok();
  const std::string response = transaction.get_response_string();
  state_.in_flight -= 1;
  transaction.release();
  if (!ok)
    throw UserError("dram.model tlm",
                    fmt::format("the memory attached to channel {} answered {} to a {} of {} bytes at {}", channel_,
                                response, request.write ? "write" : "read", request.bytes, request.address));
  client_->memory_done(request, kernel_now());
}

void TlmBridge::count(const MemoryRequest& request) {
  const Address first = request.address / spec_.burst_bytes * spec_.burst_bytes;
  const Bytes bytes = round_up<Bytes>(request.address + request.bytes - first, spec_.burst_bytes);
  meter_.add(request.op, request.write ? Event::kDramWriteBytes : Event::kDramReadBytes, bytes);
  (request.write ? state_.writes : state_.reads) += 1;
  (request.write ? state_.write_bytes : state_.read_bytes) += bytes;
}

TlmBridge::Transaction& TlmBridge::allocate(const Arrival& arrival) {
  const MemoryRequest& request = arrival.request;
  if (free_.empty()) {
    transactions_.push_back(std::make_unique<Transaction>());
    transactions_.back()->set_mm(this);
    free_.push_back(transactions_.back().get());
  }
  Transaction& transaction = *free_.back();
  free_.pop_back();
  transaction.request = request;
  transaction.arrival = arrival.time;
  transaction.program = state_.program;
  transaction.data.resize(static_cast<std::size_t>(request.bytes));
  transaction.set_command(request.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  transaction.set_address(static_cast<sc_dt::uint64>(request.address));
  transaction.set_data_ptr(transaction.data.data());
  transaction.set_data_length(static_cast<unsigned>(request.bytes));
  transaction.set_streaming_width(static_cast<unsigned>(request.bytes));
  transaction.set_byte_enable_ptr(nullptr);
  transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  return transaction;
}

void TlmBridge::free(tlm::tlm_generic_payload* payload) {
  payload->reset();
  free_.push_back(static_cast<Transaction*>(payload));
}

std::string TlmBridge::waiting_for() const {
  if (state_.waiting.empty() && state_.in_flight == 0) return "";
  return fmt::format("{} requests at the attached memory, {} not sent yet", state_.in_flight, state_.waiting.size());
}

void TlmBridge::add_probes(Probes& probes) const {
  probes.push_back(
      {"requests", 16, [this] { return static_cast<std::uint64_t>(state_.in_flight) + state_.waiting.size(); }});
}

void TlmBridge::add_statistics(const RunSpan&, Statistics& statistics) {
  const auto add = [&](const char* name, const char* unit, const char* description, std::int64_t value) {
    statistics.add(fmt::format("dram{}.{}", channel_, name), unit, description, static_cast<double>(value));
  };
  add("reads", "requests", "reads sent to the attached memory", state_.reads);
  add("writes", "requests", "writes sent to the attached memory", state_.writes);
  add("read_bytes", "bytes", "read bursts", state_.read_bytes);
  add("write_bytes", "bytes", "write bursts", state_.write_bytes);
}

}  // namespace tilewright
