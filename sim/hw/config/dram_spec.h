// A DRAM system as resolved from the hardware file: organisation, timing in DRAM clocks (tCK), address mapping, queues.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "sim/base/units.h"

namespace tilewright {

// JEDEC names, all in DRAM clocks. `burst` is the data-bus time of one access (tBL).
struct DramTiming {
  int CL = 0, CWL = 0;
  int RCDRD = 0, RCDWR = 0, RP = 0, RAS = 0, RC = 0;
  int burst = 0;
  int CCD_S = 0, CCD_L = 0, RRD_S = 0, RRD_L = 0, FAW = 0;
  int WR = 0, WTR_S = 0, WTR_L = 0, RTP = 0, RTW = 0;  // RTW: read command to write command
  int RFC = 0, REFI = 0;                               // REFI 0: no refresh

  // Between bursts of different bank groups, and of one. The data bus carries one burst at a time, also where a
  // preset's tCCD is shorter than that.
  int burst_gap() const { return std::max(CCD_S, burst); }
  int group_burst_gap() const { return std::max(CCD_L, burst_gap()); }

  bool operator==(const DramTiming&) const = default;
};

enum class AddressField { kColumn, kBankGroup, kBank, kRow };

// `bits` consecutive address bits of one field. A mapping is a list of them above the burst offset, lowest bit first.
struct AddressSlice {
  AddressField field;
  int bits;
  bool operator==(const AddressSlice&) const = default;
};

enum class DramModel { kBanked, kTlm };

// Banks of a pseudo channel: the scheduler keeps sets of them as bits of a word.
inline constexpr int kMostBanks = 64;

struct DramSpec {
  DramModel model = DramModel::kBanked;
  std::string preset;  // as named in the hardware file, for reports only
  Clock clock;
  int channels = 1;
  int pseudo_channels = 1;            // independent halves behind one channel port
  int regions = 1;                    // memories a program can place data in; channels are divided evenly among them
  Bytes interleave_bytes = 256;       // consecutive chunks of a region go to its channels in turn
  Bytes pseudo_interleave_bytes = 0;  // consecutive chunks of a channel go to its pseudo channels in turn; 0: as above
  bool interleave_hash = false;       // spread the chunks by folding the higher address bits into the channel number
  Bytes channel_capacity = 0;         // all pseudo channels together
  int bank_groups = 1, banks_per_group = 1;
  Bytes row_bytes = 0;     // of one pseudo channel
  Bytes burst_bytes = 64;  // smallest access
  std::vector<AddressSlice> mapping;
  DramTiming timing;
  int read_queue = 32, write_queue = 32;     // requests
  double write_high = 0.8, write_low = 0.2;  // share of the write queue at which a drain starts and ends
  Cycles controller_clocks = 0;              // fixed pipeline of controller and PHY, DRAM clocks, both ways together
  bool dual_command_bus = false;    // row and column commands on buses of their own, one of each per clock (HBM)
  bool shared_command_bus = false;  // one for all pseudo channels of a channel, which take turns; else each has its own

  Bytes region_capacity() const { return channel_capacity * (channels / regions); }
  int region_of(Bytes address) const { return static_cast<int>(address / region_capacity()); }
  // Writes waiting, below which a drain ends if reads wait; an empty queue has been drained.
  double drain_below() const { return std::max(1.0, write_low * write_queue); }
  Bytes capacity() const { return channel_capacity * channels; }
  // Bytes per second of all channels together.
  double peak_bytes_per_second() const {
    return channels * pseudo_channels * static_cast<double>(burst_bytes) / timing.burst * 1e12 /
           static_cast<double>(clock.period_ps);
  }
};

}  // namespace tilewright
