#include <algorithm>

#include "sim/base/number_text.h"
#include "sim/hw/config/dram_presets.h"
#include "sim/hw/config/hardware_config.h"
#include "sim/hw/config/resolve_parts.h"

namespace tilewright {
namespace {

int bits_of(Bytes power_of_two) { return std::bit_width(static_cast<std::uint64_t>(power_of_two)) - 1; }

struct FieldBits {
  int column, bank_group, bank, row;
};

std::vector<AddressSlice> without_empty(std::vector<AddressSlice> slices) {
  std::erase_if(slices, [](const AddressSlice& slice) { return slice.bits == 0; });
  return slices;
}

// "bank_group:2" -> slice.
Opt<AddressSlice> parse_slice(const std::string& text) {
  static const std::pair<std::string_view, AddressField> names[] = {{"column", AddressField::kColumn},
                                                                    {"bank_group", AddressField::kBankGroup},
                                                                    {"bank", AddressField::kBank},
                                                                    {"row", AddressField::kRow}};
  std::size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const int bits = number_of<int>(std::string_view(text).substr(colon + 1)).value_or(0);
  if (bits < 1 || bits > 40) return std::nullopt;
  for (const auto& [name, field] : names)
    if (name == std::string_view(text).substr(0, colon)) return AddressSlice{field, bits};
  return std::nullopt;
}

void check_slices(const std::vector<AddressSlice>& slices, const FieldBits& bits, Checker& check) {
  const std::pair<AddressField, int> wanted[] = {{AddressField::kColumn, bits.column},
                                                 {AddressField::kBankGroup, bits.bank_group},
                                                 {AddressField::kBank, bits.bank},
                                                 {AddressField::kRow, bits.row}};
  static const char* const names[] = {"column", "bank_group", "bank", "row"};
  for (const auto& [field, want] : wanted) {
    int have = 0;
    for (const AddressSlice& slice : slices) have += slice.field == field ? slice.bits : 0;
    if (have == want) continue;
    check.problem("dram.mapping", fmt::format("got {} {} bits, expected {} as the organisation has", have,
                                              names[static_cast<int>(field)], want));
  }
}

std::vector<AddressSlice> explicit_mapping(const std::vector<std::string>& texts, const FieldBits& bits,
                                           Checker& check) {
  std::vector<AddressSlice> slices;
  for (const std::string& text : texts) {
    Opt<AddressSlice> slice = parse_slice(text);
    if (slice) slices.push_back(*slice);
    if (slice) continue;
    check.expected("dram.mapping", text,
                   "row_bank_bankgroup_column|row_column_bank_bankgroup or a list of column|bank_group|bank|row:BITS");
    return slices;
  }
  check_slices(slices, bits, check);
  return slices;
}

std::vector<AddressSlice> resolve_mapping(const DramConfig& c, const FieldBits& bits, Checker& check) {
  using F = AddressField;
  std::vector<std::string> written = c.mapping.value_or(std::vector<std::string>{"row_bank_bankgroup_column"});
  if (written.size() == 1 && written[0] == "row_bank_bankgroup_column")
    return without_empty(
        {{F::kColumn, bits.column}, {F::kBankGroup, bits.bank_group}, {F::kBank, bits.bank}, {F::kRow, bits.row}});
  if (written.size() == 1 && written[0] == "row_column_bank_bankgroup")
    return without_empty(
        {{F::kBankGroup, bits.bank_group}, {F::kBank, bits.bank}, {F::kColumn, bits.column}, {F::kRow, bits.row}});
  return explicit_mapping(written, bits, check);
}

const DramPreset* preset_of(const DramConfig& c, Checker& check) {
  if (!c.preset || *c.preset == "custom") return nullptr;
  const DramPreset* preset = find_dram_preset(*c.preset);
  std::string names = "custom";
  for (const DramPreset& known : dram_presets()) names += "|" + std::string(known.name);
  if (!preset) check.expected("dram.preset", *c.preset, names);
  return preset;
}

// The value as written, else the preset's; one of the two must be there.
template <typename T, typename P>
T pick(const char* path, const Opt<T>& written, const DramPreset* preset, P DramPreset::*field, Checker& check) {
  if (preset) return written.value_or(static_cast<T>(preset->*field));
  return check.required(path, written);
}

DramTiming resolve_timing(const DramConfig& c, const DramPreset* preset, Checker& check) {
  DramTiming timing = preset ? preset->timing : DramTiming{};
  for (const DramTimingField& field : kDramTimingFields) {
    std::string path = std::string("dram.timing.") + field.name;
    const Opt<int>& written = c.timing.*field.written;
    timing.*field.resolved =
        preset || field.may_be_zero ? written.value_or(timing.*field.resolved) : check.required(path, written);
  }
  if (timing.RC < timing.RAS) check.expected("dram.timing.RC", timing.RC, fmt::format("RAS ({}) or more", timing.RAS));
  if (timing.REFI > 0 && timing.REFI <= timing.RFC)
    check.expected("dram.timing.REFI", timing.REFI, fmt::format("0, or more than RFC ({})", timing.RFC));
  return timing;
}

void resolve_organisation(const DramConfig& c, const DramPreset* preset, DramSpec& spec, Checker& check) {
  spec.dual_command_bus = c.dual_command_bus.value_or(preset && preset->dual_command_bus);
  spec.clock.period_ps = pick("dram.tck_ps", c.tck_ps, preset, &DramPreset::tck_ps, check);
  spec.pseudo_channels =
      check.power_of_two("dram.pseudo_channels", c.pseudo_channels.value_or(preset ? preset->pseudo_channels : 1));
  spec.shared_command_bus = c.shared_command_bus.value_or(false);
  if (spec.shared_command_bus && spec.pseudo_channels < 2)
    check.expected("dram.pseudo_channels", spec.pseudo_channels,
                   "2 or more, which share a command bus (dram.shared_command_bus)");
  spec.channel_capacity =
      check.power_of_two("dram.channel_capacity_mib", pick("dram.channel_capacity_mib", c.channel_capacity_mib, preset,
                                                           &DramPreset::channel_capacity_mib, check))
      << 20;
  spec.bank_groups = check.power_of_two(
      "dram.bank_groups", pick("dram.bank_groups", c.bank_groups, preset, &DramPreset::bank_groups, check));
  spec.banks_per_group = check.power_of_two("dram.banks_per_group", pick("dram.banks_per_group", c.banks_per_group,
                                                                         preset, &DramPreset::banks_per_group, check));
  if (spec.bank_groups * spec.banks_per_group > kMostBanks)
    check.expected(c.bank_groups ? "dram.bank_groups" : "dram.banks_per_group",
                   fmt::format("{} groups of {} banks", spec.bank_groups, spec.banks_per_group),
                   fmt::format("at most {} banks in a pseudo channel", kMostBanks));
  spec.row_bytes =
      check.power_of_two("dram.row_bytes", pick("dram.row_bytes", c.row_bytes, preset, &DramPreset::row_bytes, check));
  spec.burst_bytes = check.power_of_two(
      "dram.burst_bytes", pick("dram.burst_bytes", c.burst_bytes, preset, &DramPreset::burst_bytes, check));
  spec.timing = resolve_timing(c, preset, check);
}

void resolve_channels(const DramConfig& c, DramSpec& spec, Checker& check) {
  spec.channels = check.required("dram.channels", c.channels);
  spec.regions = c.regions.value_or(spec.regions);
  if (spec.channels % spec.regions != 0) {
    check.expected("dram.channels", spec.channels, fmt::format("a multiple of regions ({})", spec.regions));
    spec.regions = 1;
  }
  spec.interleave_bytes = c.interleave_bytes.value_or(spec.interleave_bytes);
  check.power_of_two("dram.interleave_bytes", spec.interleave_bytes);
  spec.pseudo_interleave_bytes = c.pseudo_interleave_bytes.value_or(spec.interleave_bytes);
  check.power_of_two("dram.pseudo_interleave_bytes", spec.pseudo_interleave_bytes);
  spec.interleave_hash = c.interleave_hash.value_or(false);
  if (spec.interleave_hash && !std::has_single_bit(static_cast<unsigned>(spec.channels / spec.regions)))
    check.expected(
        "dram.interleave_hash", true,
        fmt::format("false, or a power of two channels per region (there are {})", spec.channels / spec.regions));
}

void resolve_queues(const DramConfig& c, DramSpec& spec, Checker& check) {
  spec.read_queue = c.read_queue.value_or(spec.read_queue);
  spec.write_queue = c.write_queue.value_or(spec.write_queue);
  spec.write_high = c.write_high.value_or(spec.write_high);
  spec.write_low = c.write_low.value_or(spec.write_low);
  if (spec.write_low >= spec.write_high)
    check.expected("dram.write_low", spec.write_low, fmt::format("less than write_high ({})", spec.write_high));
  spec.controller_clocks = c.controller_clocks.value_or(spec.controller_clocks);
}

void check_sizes(const DramSpec& spec, Checker& check) {
  if (spec.row_bytes < spec.burst_bytes)
    check.expected("dram.row_bytes", spec.row_bytes, fmt::format("burst_bytes ({}) or more", spec.burst_bytes));
  if (spec.interleave_bytes < spec.burst_bytes)
    check.expected("dram.interleave_bytes", spec.interleave_bytes,
                   fmt::format("burst_bytes ({}) or more", spec.burst_bytes));
  if (spec.pseudo_interleave_bytes < spec.burst_bytes)
    check.expected("dram.pseudo_interleave_bytes", spec.pseudo_interleave_bytes,
                   fmt::format("burst_bytes ({}) or more", spec.burst_bytes));
}

}  // namespace

DramSpec resolve_dram(const DramConfig& c, Checker& check) {
  DramSpec spec;
  spec.model = c.model.value_or(spec.model);
  if (!c.preset) check.problem("dram.preset", "missing, expected the name of a preset, or custom");
  const DramPreset* preset = preset_of(c, check);
  if (!c.preset || (!preset && *c.preset != "custom")) return spec;  // the rest would only repeat that problem
  spec.preset = *c.preset;
  resolve_organisation(c, preset, spec, check);
  resolve_channels(c, spec, check);
  resolve_queues(c, spec, check);
  check_sizes(spec, check);
  Bytes all_banks = spec.row_bytes * spec.bank_groups * spec.banks_per_group * spec.pseudo_channels;
  if (spec.channel_capacity < all_banks)
    check.expected("dram.channel_capacity_mib", spec.channel_capacity >> 20,
                   fmt::format("one row in every bank, {} bytes, or more", all_banks));
  else if (spec.row_bytes >= spec.burst_bytes)
    spec.mapping = resolve_mapping(c,
                                   {bits_of(spec.row_bytes / spec.burst_bytes), bits_of(spec.bank_groups),
                                    bits_of(spec.banks_per_group), bits_of(spec.channel_capacity / all_banks)},
                                   check);
  return spec;
}

}  // namespace tilewright
