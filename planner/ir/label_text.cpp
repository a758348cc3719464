// The text form of labels, both ways.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "planner/ir/label.h"
#include "sim/base/error.h"
#include "sim/base/number_text.h"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, kCategoryCount> kCategories{"INS", "IN", "CN", "IW", "CW",
                                                                   "AUX", "ON", "OW", "HN"};
constexpr std::array<std::string_view, 4> kSwaps{"no", "core", "cluster", "mem"};
constexpr std::array<std::string_view, kReductionCount> kReductions{"clusters", "tree", "ring", "scatter", "network"};

struct TypeName {
  DataType type;
  std::string_view name;
};
constexpr std::array<TypeName, kDataTypeCount> kTypes{{{DataType::kFp32, "float32"},
                                                       {DataType::kFp16, "float16"},
                                                       {DataType::kBf16, "bfloat16"},
                                                       {DataType::kInt8, "int8"},
                                                       {DataType::kInt32, "int32"},
                                                       {DataType::kFp8E4m3, "float8_e4m3fn"},
                                                       {DataType::kFp8E5m2, "float8_e5m2"}}};

std::string_view label_type(DataType type) {
  for (const TypeName& row : kTypes)
    if (row.type == type) return row.name;
  SIM_CHECK(false, "a type without a name in labels");
  return {};
}

std::string split_text(const std::vector<DimensionSplit>& split) {
  if (split.empty()) return "split -";
  std::string text = "split";
  for (const DimensionSplit& cut : split) {
    text += fmt::format(" {}[", cut.dimension);
    for (std::size_t i = 0; i < cut.ranges.size(); ++i)
      text += fmt::format("{}({},{})", i == 0 ? "" : ",", cut.ranges[i].begin, cut.ranges[i].end - 1);
    text += "]";
  }
  return text;
}

std::string padding_text(const std::vector<Padding>& padding) {
  std::vector<std::string> parts;
  for (const Padding& pad : padding) parts.push_back(fmt::format("{}:{}", pad.length, pad.value));
  return fmt::format("padding {{{}}}", fmt::join(parts, " "));
}

// Reads a label from left to right.
class LabelReader {
 public:
  explicit LabelReader(std::string_view text) : whole_(text), rest_(text) {}

  [[noreturn]] void fail(const std::string& expected) const {
    throw UserError("label", fmt::format("'{}', at '{}': expected {}", whole_, rest_, expected));
  }
  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) fail(fmt::format("'{}'", token));
  }
  std::string_view word() {
    const std::size_t length = std::min(rest_.find_first_of(", {}[]()"), rest_.size());
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }
  template <typename Number>
  Number number() {
    Number value{};
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) fail("a number");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  template <std::size_t N>
  int choice(const std::array<std::string_view, N>& names) {
    const LabelReader before = *this;
    const std::string_view got = word();
    for (std::size_t i = 0; i < N; ++i)
      if (names[i] == got) return static_cast<int>(i);
    before.fail(fmt::format("{}", fmt::join(names, "|")));
  }
  DataType type() {
    std::array<std::string_view, kTypes.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = kTypes[i].name;
    return kTypes[choice(names)].type;
  }
  std::string order() {
    expect("dim_");
    return std::string(word());
  }
  // "{...}", one item after the other, a blank between two.
  template <typename Item>
  void list(Item item) {
    expect("{");
    for (bool first = true; !take("}"); first = false) {
      if (!first) expect(" ");
      item();
    }
  }
  void end() const {
    if (!rest_.empty()) fail("the end");
  }

 private:
  std::string_view whole_, rest_;
};

std::vector<Range> read_ranges(LabelReader& in) {
  std::vector<Range> ranges;
  in.expect("[");
  do {
    in.expect("(");
    Range range;
    range.begin = in.number<std::int64_t>();
    in.expect(",");
    range.end = in.number<std::int64_t>() + 1;
    in.expect(")");
    if (range.size() < 1 || (!ranges.empty() && range.begin != ranges.back().end)) in.fail("consecutive ranges");
    ranges.push_back(range);
  } while (in.take(","));
  in.expect("]");
  return ranges;
}

std::vector<DimensionSplit> read_split(LabelReader& in) {
  std::vector<DimensionSplit> split;
  in.expect("split");
  if (in.take(" -")) return split;
  while (in.take(" ")) {
    const std::string_view dimension = in.word();
    if (dimension.size() != 1) in.fail("one letter for a dimension");
    split.push_back({dimension[0], read_ranges(in)});
  }
  if (split.empty()) in.fail("a split dimension or '-'");
  return split;
}

}  // namespace

std::string_view name_of(Category category) { return kCategories[static_cast<int>(category)]; }
std::string_view name_of(Swap swap) { return kSwaps[static_cast<int>(swap)]; }
std::string_view name_of(Reduction reduction) { return kReductions[static_cast<int>(reduction)]; }

std::string to_text(const Store& store) {
  if (store.level == StoreLevel::kCore) return "core";
  const std::string_view level = store.level == StoreLevel::kMem ? "mem" : "cluster";
  return store.number == 0 ? std::string(level) : fmt::format("{}{}", level, store.number);
}

std::optional<Store> parse_store(std::string_view text) {
  Store store;
  if (text == "core") return Store{StoreLevel::kCore};
  for (const auto& [name, level] : {std::pair{std::string_view("mem"), StoreLevel::kMem},
                                    std::pair{std::string_view("cluster"), StoreLevel::kCluster}}) {
    if (!text.starts_with(name)) continue;
    store.level = level;
    const std::string_view number = text.substr(name.size());
    if (number.empty()) return store;
    store.number = number_of<int>(number).value_or(0);
    if (store.number > 0) return store;
  }
  return std::nullopt;
}

std::string to_text(const StaticLabel& label) {
  return fmt::format("static: {}, {}, dim_{}, {{{}}}", name_of(label.category), label_type(label.type), label.order,
                     fmt::join(label.sizes, " "));
}

std::string to_text(const DynamicLabel& label) {
  const bool usual = label.reduction == Reduction::kClusters;
  return fmt::format("dynamic: {}, dim_{}, tiling {{{}}}, {}, size {}, {}, {}, {}{}{}", label_type(label.type),
                     label.order, fmt::join(label.granule, " "), padding_text(label.padding), label.size,
                     split_text(label.split), to_text(label.store), name_of(label.swap), usual ? "" : ", ",
                     usual ? "" : name_of(label.reduction));
}

StaticLabel parse_static_label(std::string_view text) {
  LabelReader in(text);
  StaticLabel label;
  in.expect("static: ");
  label.category = static_cast<Category>(in.choice(kCategories));
  in.expect(", ");
  label.type = in.type();
  in.expect(", ");
  label.order = in.order();
  in.expect(", ");
  in.list([&] { label.sizes.push_back(in.number<std::int64_t>()); });
  in.end();
  if (label.order.size() != label.sizes.size()) in.fail("as many sizes as dimensions");
  return label;
}

DynamicLabel parse_dynamic_label(std::string_view text) {
  LabelReader in(text);
  DynamicLabel label;
  in.expect("dynamic: ");
  label.type = in.type();
  in.expect(", ");
  label.order = in.order();
  in.expect(", tiling ");
  in.list([&] { label.granule.push_back(in.number<std::int64_t>()); });
  in.expect(", padding ");
  in.list([&] {
    Padding pad;
    pad.length = in.number<std::int64_t>();
    in.expect(":");
    pad.value = in.number<double>();
    label.padding.push_back(pad);
  });
  in.expect(", size ");
  label.size = in.number<Bytes>();
  in.expect(", ");
  label.split = read_split(in);
  in.expect(", ");
  const LabelReader before = in;
  const auto store = parse_store(in.word());
  if (!store) before.fail("mem|cluster, or one of them with its number");
  label.store = *store;
  in.expect(", ");
  label.swap = static_cast<Swap>(in.choice(kSwaps));
  if (in.take(", ")) label.reduction = static_cast<Reduction>(in.choice(kReductions));
  in.end();
  return label;
}

}  // namespace tilewright
