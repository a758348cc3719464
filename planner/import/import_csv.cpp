// Layer lists in the style of SCALE-Sim: GEMM lists and convolution topologies. The columns are found by their names,
// so their order and the optional ones are free.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <span>

#include "planner/import/import.h"
#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/base/number_text.h"
#include "sim/base/text_list.h"

namespace tilewright {
namespace {

constexpr std::int64_t kMaxDimension = std::int64_t{1} << 31;
constexpr std::int64_t kMaxRowCount = 10000;

enum class Column : std::uint8_t {
  kLayer,
  kM,
  kN,
  kK,
  kCount,
  kHeight,
  kWidth,
  kFilterHeight,
  kFilterWidth,
  kChannels,
  kFilters,
  kStride,
  kBatch,
  kPad,
  kGroups,
};

struct ColumnInfo {
  Column column;
  std::string_view name;  // in any case in the file
  bool required;
  std::int64_t minimum;
  std::int64_t fallback;
};

constexpr ColumnInfo kGemmColumns[] = {
    {Column::kLayer, "Layer", true, 0, 0}, {Column::kM, "M", true, 1, 1},          {Column::kN, "N", true, 1, 1},
    {Column::kK, "K", true, 1, 1},         {Column::kCount, "Count", false, 1, 1},
};

constexpr ColumnInfo kConvColumns[] = {
    {Column::kLayer, "Layer name", true, 0, 0},
    {Column::kHeight, "IFMAP Height", true, 1, 1},
    {Column::kWidth, "IFMAP Width", true, 1, 1},
    {Column::kFilterHeight, "Filter Height", true, 1, 1},
    {Column::kFilterWidth, "Filter Width", true, 1, 1},
    {Column::kChannels, "Channels", true, 1, 1},
    {Column::kFilters, "Num Filter", true, 1, 1},
    {Column::kStride, "Strides", true, 1, 1},
    {Column::kBatch, "Batch", false, 1, 1},
    {Column::kPad, "Pad", false, 0, 0},
    {Column::kGroups, "Groups", false, 1, 1},
    {Column::kCount, "Count", false, 1, 1},
};

struct CsvRow {
  std::string where;  // "file:line"
  std::string layer;
  std::map<Column, std::int64_t> values;
  std::int64_t at(Column column) const { return values.at(column); }
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Lists of SCALE-Sim end their lines with a comma.
CsvLine without_last_comma(CsvLine line) {
  if (line.fields.back().empty()) line.fields.pop_back();
  return line;
}

std::string column_names(std::span<const ColumnInfo> columns) {
  std::string names;
  for (const ColumnInfo& info : columns)
    append_item(names, ", ", std::string(info.name) + (info.required ? "" : " (optional)"));
  return names;
}

std::span<const ColumnInfo> columns_for(const std::string& where, const std::vector<std::string>& header) {
  if (!header.empty() && lower(header[0]) == "layer") return kGemmColumns;
  if (!header.empty() && lower(header[0]) == "layer name") return kConvColumns;
  throw UserError(where, fmt::format("got first column '{}', expected 'Layer' (GEMM list) or 'Layer name' (conv list)",
                                     header.empty() ? "" : header[0].substr(0, 40)));
}

// The table's column of every field of the header.
std::vector<const ColumnInfo*> read_header(const std::string& where, const std::vector<std::string>& header) {
  const std::span<const ColumnInfo> known = columns_for(where, header);
  std::vector<const ColumnInfo*> order;
  for (const std::string& field : header) {
    const auto found =
        std::find_if(known.begin(), known.end(), [&](auto& c) { return lower(std::string(c.name)) == lower(field); });
    if (found == known.end())
      throw UserError(where, fmt::format("got column '{}', expected {}", field.substr(0, 40), column_names(known)));
    if (std::find(order.begin(), order.end(), &*found) != order.end())
      throw UserError(where, fmt::format("column '{}' appears twice", field));
    order.push_back(&*found);
  }
  for (const ColumnInfo& info : known)
    if (info.required && std::find(order.begin(), order.end(), &info) == order.end())
      throw UserError(where, fmt::format("column '{}' is missing, expected {}", info.name, column_names(known)));
  return order;
}

std::int64_t parse_value(const std::string& where, const ColumnInfo& info, const std::string& field) {
  const auto value = number_of<std::int64_t>(field);
  const std::int64_t maximum = info.column == Column::kCount ? kMaxRowCount : kMaxDimension;
  if (!value || *value < info.minimum || *value > maximum)
    throw UserError(where, fmt::format("{}: got '{}', expected an integer from {} to {}", info.name,
                                       field.substr(0, 40), info.minimum, maximum));
  return *value;
}

CsvRow parse_row(const std::string& where, const std::vector<const ColumnInfo*>& header,
                 const std::vector<std::string>& fields) {
  if (fields.size() != header.size())
    throw UserError(where, fmt::format("got {} fields, expected {}", fields.size(), header.size()));
  CsvRow row{.where = where};
  for (const ColumnInfo& info : kConvColumns) row.values[info.column] = info.fallback;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (header[i]->column == Column::kLayer) {
      row.layer = fields[i];
    } else {
      row.values[header[i]->column] = parse_value(where, *header[i], fields[i]);
    }
  }
  if (row.layer.empty()) throw UserError(where, "the layer has no name");
  return row;
}

TensorId add(Graph& graph, std::string name, Shape shape, DataType type, TensorKind kind) {
  return graph.add_tensor({.name = std::move(name), .shape = std::move(shape), .type = type, .kind = kind});
}

void add_layer(Graph& graph, Operator op, Shape input, Shape weights, const std::string& layer, DataType type) {
  op.name = layer;
  op.inputs = {add(graph, layer + ".input", std::move(input), type, TensorKind::kInput),
               add(graph, layer + ".weights", std::move(weights), type, TensorKind::kConstant)};
  const DataType output_type = type == DataType::kInt8 ? DataType::kInt32 : type;
  op.output = add(graph, layer + ".output", infer_shape(graph, op), output_type, TensorKind::kOutput);
  graph.add_operator(std::move(op));
}

void add_gemm(Graph& graph, const CsvRow& row, const std::string& layer, DataType type) {
  const std::int64_t m = row.at(Column::kM), n = row.at(Column::kN), k = row.at(Column::kK);
  add_layer(graph, {.kind = OpKind::kMatMul}, {m, k}, {k, n}, layer, type);
}

void add_conv(Graph& graph, const CsvRow& row, const std::string& layer, DataType type) {
  const std::int64_t stride = row.at(Column::kStride), pad = row.at(Column::kPad), groups = row.at(Column::kGroups);
  const std::int64_t channels = row.at(Column::kChannels);
  if (channels % groups != 0)
    throw UserError(row.where, fmt::format("Groups: got {}, expected a divisor of {} channels", groups, channels));
  Operator op{.kind = OpKind::kConv};
  op.attributes.strides = {stride, stride};
  op.attributes.pads = {pad, pad, pad, pad};
  op.attributes.groups = groups;
  add_layer(graph, std::move(op), {row.at(Column::kBatch), channels, row.at(Column::kHeight), row.at(Column::kWidth)},
            {row.at(Column::kFilters), channels / groups, row.at(Column::kFilterHeight), row.at(Column::kFilterWidth)},
            layer, type);
}

// A layer that occurs `count` times is that many operators "layer.0", "layer.1", ...
void add_row(Graph& graph, const CsvRow& row, DataType type) {
  const std::int64_t count = row.at(Column::kCount);
  const bool conv = row.values.contains(Column::kM) == false;
  try {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::string layer = count == 1 ? row.layer : fmt::format("{}.{}", row.layer, i);
      conv ? add_conv(graph, row, layer, type) : add_gemm(graph, row, layer, type);
    }
  } catch (const UserError& error) {
    if (std::string_view(error.what()).starts_with(row.where)) throw;
    throw UserError(row.where, error.what());
  }
}

}  // namespace

Graph import_csv(const std::string& path, const ImportOptions& options) {
  Graph graph;
  graph.name = std::filesystem::path(path).stem().string();
  std::vector<const ColumnInfo*> header;
  for (const CsvLine& read : read_csv_lines(path)) {
    const CsvLine line = without_last_comma(read);
    if (header.empty()) {
      header = read_header(line.where, line.fields);
    } else {
      add_row(graph, parse_row(line.where, header, line.fields), options.type);
    }
  }
  if (graph.operators().empty()) throw UserError(path, "has no layers");
  check_batch(path, options, false);
  return graph;
}

}  // namespace tilewright
