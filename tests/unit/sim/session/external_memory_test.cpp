// A chip whose DRAM is a memory of the user's own.
#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/model/dram/tlm_bridge.h"
#include "sim/session.h"
#include "tests/support/gemm_program.h"

namespace tilewright {
namespace {

// Every access of any channel takes 100 ns.
struct FixedLatency : ExternalMemory {
  struct Channel : sc_core::sc_module {
    tlm_utils::simple_target_socket<Channel> socket{"socket"};
    std::int64_t bytes = 0;

    explicit Channel(sc_core::sc_module_name name) : sc_module(name) {
      socket.register_b_transport(this, &Channel::b_transport);
    }
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
      bytes += payload.get_data_length();
      delay += sc_core::sc_time(100, sc_core::SC_NS);
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
  };
  std::vector<std::unique_ptr<Channel>> channels;

  void attach(int channel, tlm_utils::simple_initiator_socket<TlmBridge>& socket) override {
    channels.push_back(std::make_unique<Channel>(fmt::format("memory{}", channel).c_str()));
    socket.bind(channels.back()->socket);
  }
};

Hardware chip(DramModel model) {
  Hardware hardware = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/quad_smp.yaml");
  hardware.dram.model = model;
  return hardware;
}

TEST(ExternalMemory, ServesAProgramInPlaceOfTheChannels) {
  FixedLatency memory;
  Session session(chip(DramModel::kTlm), &memory);
  const Program program = testing_support::GemmProgram(session.hardware(), {}).make();
  const RunResult first = session.run(program), again = session.run(program);
  EXPECT_EQ(static_cast<int>(memory.channels.size()), session.hardware().dram.channels);
  double bytes = 0;
  for (const auto& channel : memory.channels) bytes += static_cast<double>(channel->bytes);
  EXPECT_EQ(bytes, 2 * (first.statistics.at("memory.read_bytes") + first.statistics.at("memory.write_bytes")));
  EXPECT_GT(first.time, 100'000);
  EXPECT_EQ(first.time, again.time);
}

void expect_told(DramModel model, ExternalMemory* memory, const char* what) {
  try {
    Session session(chip(model), memory);
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
  }
}

TEST(ExternalMemory, AChipThatNeedsOneSaysSo) {
  expect_told(DramModel::kTlm, nullptr, "dram.model: got 'tlm', but no memory is attached");
}

TEST(ExternalMemory, AChipWithChannelsOfItsOwnTakesNone) {
  FixedLatency memory;
  expect_told(DramModel::kBanked, &memory, "dram.model: got 'banked', but a memory is attached");
}

}  // namespace
}  // namespace tilewright
