#include "planner/search/database/shape_extents.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"
#include "sim/base/units.h"

namespace tilewright {
namespace {

using Kind = OperatorShape::Kind;

enum MatMulDim : std::size_t { kB, kM, kN, kK };
enum ConvDim : std::size_t { kImages, kHeight, kWidth, kChannels, kFilters, kKernelHeight, kKernelWidth };
enum ConvExtent : std::size_t { kOutImages, kOutRows, kOutColumns, kOutChannels, kOutFilters };

// Input length behind `outputs` positions: stride times as many where that is right, else the shortest there is.
std::int64_t input_of(const Window::Axis& axis, std::int64_t outputs) {
  const std::int64_t usual = outputs * axis.stride;
  if (placements(axis, usual, false) == outputs) return usual;
  const std::int64_t spanned = (outputs - 1) * axis.stride + axis.extent();
  return std::max<std::int64_t>(1, spanned - axis.pad_begin - axis.pad_end);
}

// "pad 1x1", or "pad 0-1x1" where the two sides of the rows differ.
std::string pads_text(const Window::Axis& axis) {
  if (axis.pad_begin == axis.pad_end) return std::to_string(axis.pad_begin);
  return fmt::format("{}-{}", axis.pad_begin, axis.pad_end);
}

// "2", or "2x1" where rows and columns differ.
std::string both_text(std::int64_t rows, std::int64_t columns) {
  return rows == columns ? std::to_string(rows) : fmt::format("{}x{}", rows, columns);
}

struct CorePart {
  std::int64_t images, rows, columns;
};

CorePart largest_part(const TilingPoint& p, const ShapeExtents& e) {
  return {ceil_div(e[kOutImages], p.parts_batch), ceil_div(e[kOutRows], p.parts_n), e[kOutColumns]};
}

// Columns n of a convolution's partition as whole images, else whole rows, else a part of a row.
ShapeExtents conv_column_granules(const TilingPoint& p, const ShapeExtents& e) {
  const auto [images, rows, columns] = largest_part(p, e);
  if (p.partition_n >= rows * columns)
    return {p.parts_batch * std::min(images, p.partition_n / (rows * columns)), p.parts_n * rows, columns};
  if (p.partition_n >= columns) return {p.parts_batch, p.parts_n * (p.partition_n / columns), columns};
  return {p.parts_batch, p.parts_n, p.partition_n};
}

ShapeExtents conv_granules(const TilingPoint& p, const OperatorShape& s) {
  const ShapeExtents e = extents_of(s);
  ShapeExtents granules = conv_column_granules(p, e);
  if (s.groups > 1) {
    granules.push_back(p.parts_m);
  } else {
    granules.push_back(std::max<std::int64_t>(1, p.partition_k / (s.dims[kKernelHeight] * s.dims[kKernelWidth])));
    granules.push_back(p.parts_m * p.partition_m);
  }
  return granules;
}

void cut_tiles(TilingPoint& p) {
  p.tile_m = std::min(p.tile_m, p.partition_m);
  p.tile_n = std::min(p.tile_n, p.partition_n);
}

TilingPoint cut_matmul(TilingPoint p, const OperatorShape& s) {
  p.parts_batch = std::min(p.parts_batch, s.dims[kB]);
  p.parts_m = std::min(p.parts_m, s.dims[kM]);
  p.parts_n = std::min(p.parts_n, s.dims[kN]);
  p.partition_m = std::min(p.partition_m, ceil_div(s.dims[kM], p.parts_m));
  p.partition_n = std::min(p.partition_n, ceil_div(s.dims[kN], p.parts_n));
  p.partition_k = std::min(p.partition_k, s.dims[kK]);
  return p;
}

TilingPoint cut_conv(TilingPoint p, const OperatorShape& s) {
  const ShapeExtents e = extents_of(s);
  const std::int64_t filters = s.groups > 1 ? s.dims[kFilters] / s.groups : s.dims[kFilters];
  p.parts_batch = std::min(p.parts_batch, e[kOutImages]);
  p.parts_m = std::min(p.parts_m, s.groups > 1 ? s.groups : filters);
  p.parts_n = std::min(p.parts_n, e[kOutRows]);
  p.partition_m = std::min(p.partition_m, s.groups > 1 ? filters : ceil_div(filters, p.parts_m));
  p.partition_k = std::min(p.partition_k, s.dims[kChannels] / s.groups * s.dims[kKernelHeight] * s.dims[kKernelWidth]);
  const ShapeExtents granules = conv_column_granules(p, e);
  const auto part = largest_part(p, e);
  p.partition_n = std::min(granules[kOutImages] / p.parts_batch, part.images) *
                  std::min(granules[kOutRows] / p.parts_n, part.rows) * granules[kOutColumns];
  return p;
}

}  // namespace

std::string family_of(const OperatorShape& s) {
  if (s.kind == Kind::kMatMul)
    return fmt::format("matmul {}{}{}{}{}", name_of(s.type), s.transpose_a ? " ta" : "", s.transpose_b ? " tb" : "",
                       s.b_constant ? "" : " dynamic", to_string(s.epilogues));
  const auto& [rows, columns] = window_of(s).axes;
  std::string text = fmt::format("conv {} {}x{} stride {} pad {}x{}", name_of(s.type), rows.size, columns.size,
                                 both_text(rows.stride, columns.stride), pads_text(rows), pads_text(columns));
  if (rows.dilation > 1 || columns.dilation > 1)
    text += fmt::format(" dilation {}", both_text(rows.dilation, columns.dilation));
  if (s.groups > 1)
    text += fmt::format(" groups of {} to {}", s.dims[kChannels] / s.groups, s.dims[kFilters] / s.groups);
  return text + to_string(s.epilogues);
}

ShapeExtents extents_of(const OperatorShape& s) {
  if (s.kind == Kind::kMatMul) return s.dims;
  const auto& [rows, columns] = window_of(s).axes;
  ShapeExtents e{s.dims[kImages], placements(rows, s.dims[kHeight], false), placements(columns, s.dims[kWidth], false)};
  if (s.groups > 1)
    e.push_back(s.groups);
  else
    e.insert(e.end(), {s.dims[kChannels], s.dims[kFilters]});
  return e;
}

const std::vector<std::string_view>& extent_names(const OperatorShape& s) {
  static const std::vector<std::string_view> conv{"N", "H", "W", "Ci", "Co"}, grouped{"N", "H", "W", "G"};
  if (s.kind == Kind::kMatMul) return dimension_names(s.kind);
  return s.groups > 1 ? grouped : conv;
}

OperatorShape with_extents(const OperatorShape& shape, const ShapeExtents& e) {
  OperatorShape s = shape;
  if (s.kind == Kind::kMatMul) {
    s.dims = e;
    return s;
  }
  s.dims[kImages] = e[kOutImages];
  const auto& [rows, columns] = window_of(shape).axes;
  s.dims[kHeight] = input_of(rows, e[kOutRows]);
  s.dims[kWidth] = input_of(columns, e[kOutColumns]);
  if (s.groups > 1) {
    s.dims[kChannels] = s.dims[kChannels] / s.groups * e[kOutChannels];
    s.dims[kFilters] = s.dims[kFilters] / s.groups * e[kOutChannels];
    s.groups = e[kOutChannels];
  } else {
    s.dims[kChannels] = e[kOutChannels];
    s.dims[kFilters] = e[kOutFilters];
  }
  return s;
}

double size_of(const ShapeExtents& extents) {
  double product = 1;
  for (const std::int64_t extent : extents) product *= static_cast<double>(extent);
  return product;
}

ShapeExtents granules_of(const TilingPoint& p, const OperatorShape& s) {
  if (s.kind == Kind::kConv) return conv_granules(p, s);
  return {p.parts_batch, p.parts_m * p.partition_m, p.parts_n * p.partition_n, p.partition_k};
}

double padded_size(const ShapeExtents& extents, const ShapeExtents& granules) {
  double size = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) size *= static_cast<double>(round_up(extents[i], granules[i]));
  return size;
}

TilingPoint cut_to(const TilingPoint& point, const OperatorShape& shape) {
  TilingPoint cut = shape.kind == Kind::kConv ? cut_conv(point, shape) : cut_matmul(point, shape);
  cut_tiles(cut);
  return cut;
}

}  // namespace tilewright
